package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestAFaultIsLoggedOnceAMinute(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	f := newFaultLog(slog.New(slog.NewTextHandler(&out, nil)), "no help")
	f.now = func() time.Time { return now }
	for range 59 {
		f.warn(errors.New("refused"))
		now = now.Add(time.Second)
	}
	f.warn(errors.New("cut"))
	if got := strings.Count(out.String(), "no help"); got != 2 {
		t.Errorf("%d lines, want one for each of two faults:\n%s", got, out.String())
	}
	now = now.Add(2 * time.Second)
	f.warn(errors.New("refused"))
	f.warn(errors.New("cut"))
	if got := strings.Count(out.String(), "refused"); got != 2 {
		t.Errorf("refused %d times, want again after a minute:\n%s", got, out.String())
	}
	now = now.Add(faultQuiet)
	f.warn(errors.New("other"))
	if len(f.said) != 1 {
		t.Errorf("%d faults are remembered, want the last minute's one", len(f.said))
	}
}

// A memcached that hangs is one fault, though each try is from another port of ours; another
// one that hangs is another.
func TestAFaultIsTheSameFromAnotherPort(t *testing.T) {
	var out bytes.Buffer
	f := newFaultLog(slog.New(slog.NewTextHandler(&out, nil)), "no help")
	for port := range 100 {
		f.warn(fmt.Errorf("curve games.xp in memcached: read tcp 127.0.0.1:%d->127.0.0.1:11211: i/o timeout", 40000+port))
		f.warn(fmt.Errorf("curve games.xp in memcached: read tcp [::1]:%d->[::1]:11212: i/o timeout", 40000+port))
	}
	if got := strings.Count(out.String(), "no help"); got != 2 || !strings.Contains(out.String(), "127.0.0.1:40000->127.0.0.1:11211") {
		t.Errorf("%d lines, want one for each of two servers:\n%s", got, out.String())
	}
}
