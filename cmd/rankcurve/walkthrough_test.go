package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A step is a block of commands of a walk-through, and what it says they print.
type step struct{ commands, prints string }

// walkthrough reads the steps of a page of docs.
func walkthrough(t *testing.T, page string) (steps []step) {
	t.Helper()
	data, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)\n```(console|text)\n(.*?)```\n").FindAllStringSubmatch(string(data), -1) {
		if block[1] == "console" {
			steps = append(steps, step{commands: block[2]})
		} else {
			steps[len(steps)-1].prints = block[2]
		}
	}
	return steps
}

// volatile is what differs from run to run, or with how well a curve fits.
var volatile = []struct{ form, as string }{
	{` in [0-9.,]+ m?s\b`, " in TIME"},
	{`[0-9,]+ (rows|lines)/s`, "RATE"},
	{`\b(now|[0-9]+ (second|minute)s? ago)\b`, "AGO"},
	{`[0-9,]+ knots in [0-9.]+ \w+`, "KNOTS"},
	{`[0-9,.]+ read units? in [0-9,]+ requests?`, "READS"},
	{`[0-9,]+ \.\. [0-9,]+`, "BAND"},
	{` +`, " "},
	{`(?m)^ | $`, ""},
	{`(ASKED [^\n]*\n[0-9,]+ [0-9.,]+ [0-9,]+) [0-9,]+ `, "$1 BAND "}, // has more than a rank where two rebuilds are half a minute apart
}

func lasting(text string) string {
	for _, v := range volatile {
		text = regexp.MustCompile(v.form).ReplaceAllString(text, v.as)
	}
	return text
}

// The walk-throughs print what their pages say, typed word for word in an empty folder.
func TestBinaryDoesTheWalkthroughs(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("this machine has no bash")
	}
	for page, want := range map[string]string{"walkthrough-photos.md": "photo-0213.jpg 47 211 exact 1,539", "walkthrough-event.md": "you 1,983 211 exact 1,539"} {
		t.Run(page, func(t *testing.T) {
			r, printed := reader{process: newProcess(t), address: strings.NewReplacer()}, ""
			steps := walkthrough(t, page)
			for _, s := range steps {
				got := r.types(s.commands).ok()
				if lasting(got.out) != lasting(s.prints) {
					t.Errorf("%s\nprints\n%s\nand not, as %s says,\n%s", s.commands, got.out, page, s.prints)
				}
				printed += lasting(got.out)
			}
			if len(steps) < 5 || !strings.Contains(printed, want) {
				t.Errorf("%d steps without %q:\n%s", len(steps), want, printed)
			}
		})
	}
}

// notAtMidnight waits for the next day where this one is about to end: what is of today, or of
// this week, would else be of two.
func notAtMidnight() {
	const enough = 30 * time.Second
	if left := time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)); left < enough {
		time.Sleep(left)
	}
}

// The README's family of boards, typed where a log of today is.
func TestBinaryDoesTheReadmesFamily(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("this machine has no bash")
	}
	blocks := readmeBlocks(t, "Try it")
	r := reader{process: newProcess(t), address: strings.NewReplacer()}
	notAtMidnight()
	now := time.Now().UTC().Format(time.RFC3339)
	if err := os.WriteFile(filepath.Join(r.folder, "access.csv"), []byte("image,time\ndusk.jpg,"+now+"\ndusk.jpg,"+now+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.types(blocks[len(blocks)-1]).ok("posted: dawn.jpg on photos has views=1", "counted 2 lines of access.csv into 3 boards", "1   dusk.jpg       2", "2   dawn.jpg       1", "reset in ")
}
