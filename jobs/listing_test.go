package jobs_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A registry that does not answer is asked again, and shows in health, from the first time on.
func TestARegistryThatDoesNotAnswerShowsInHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boards := &registry{Store: newBoards(t, 50, "a")}
		boards.silent.Store(true)
		h := newHand(t, boards, settled(everyFive(t))).work()
		time.Sleep(90 * time.Second)
		if health := h.worker.Health(); health.Ready || !strings.Contains(fmt.Sprint(health.Reasons), "the boards are not listed yet; the store has not answered for 1m30s") {
			t.Errorf("at first: %+v", health)
		}
		time.Sleep(time.Hour)
		if health := h.worker.Health(); health.Ready || !health.Alive || !strings.Contains(fmt.Sprint(health.Reasons), "the boards cannot be listed: list boards: no answer within 2m0s") {
			t.Errorf("after an hour: %+v", health)
		}
		if n := boards.asked.Load(); n < 20 || n > 32 {
			t.Errorf("it was asked %d times in an hour", n)
		}
		boards.silent.Store(false)
		time.Sleep(4 * time.Minute)
		if health := h.worker.Health(); !health.Ready || health.Columns != 1 {
			t.Errorf("when it answers again: %+v", health)
		}
		boards.silent.Store(true)
		time.Sleep(8 * time.Minute)
		if reasons := fmt.Sprint(h.worker.Health().Reasons); !strings.Contains(reasons, "the boards were last listed") || !strings.Contains(reasons, "no answer within 2m0s") || strings.Contains(reasons, "nil") {
			t.Errorf("later: %s", reasons)
		}
		h.stop()
	})
}
