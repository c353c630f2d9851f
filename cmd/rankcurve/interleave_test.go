package main

import (
	"strings"
	"testing"
)

func TestInterleave(t *testing.T) {
	for line, want := range map[string]string{
		"":                                  "",
		"top games":                         "top -- games",
		"top games -n 5":                    "top -n=5 -- games",
		"top -n=5 games":                    "top -n=5 -- games",
		"top -n 5 games --json":             "top -n=5 --json -- games",
		"top games --n 5":                   "top -n=5 -- games",
		"--db a top games":                  "--db=a top -- games",
		"top games --db a -n 3":             "--db=a top -n=3 -- games",
		"top --config=c games --db a":       "--config=c --db=a top -- games",
		"rank games --score -3.5":           "rank --score=-3.5 -- games",
		"rank --score -.5 games":            "rank --score=-.5 -- games",
		"rank games --score=-3.5 --json":    "rank --score=-3.5 --json -- games",
		"rank games -5 ann":                 "rank -- games -5 ann",
		"rank games -- --json -n":           "rank -- games --json -n",
		"rank -- games ann":                 "rank -- games ann",
		"load games -":                      "load -- games -",
		"load games - --format csv":         "load --format=csv -- games -",
		"load g f --column a --column b:2":  "load --column=a --column=b:2 -- g f",
		"post games ann xp=-5 --id 7":       "post --id=7 -- games ann xp=-5",
		"post games ann --id --x xp=1":      "post --id=--x -- games ann xp=1",
		"curve show games --json":           "curve show --json -- games",
		"curve --db a show games":           "--db=a curve show -- games",
		"rebuild --full games --json=false": "rebuild --full --json=false -- games",
		"rank games top":                    "rank -- games top",
		"curve --help":                      "curve --help",
		"top games -h":                      "top -h",
		"--version":                         "--version",
	} {
		app := (&program{}).app()
		words, err := interleave(app, strings.Fields(line))
		if got := strings.Join(words, " "); err != nil || got != want {
			t.Errorf("%q becomes %q, %v; want %q", line, got, err, want)
		}
	}
}

func TestInterleaveKeepsWordsWhole(t *testing.T) {
	words, err := interleave((&program{}).app(), []string{"rank", "my board", "", "--column", "", "a=b c"})
	want := []string{"rank", "--column=", "--", "my board", "", "a=b c"}
	if err != nil || strings.Join(words, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, %v", words, err)
	}
}

func TestInterleaveRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"topp games":          `there is no command "topp"; did you mean "top"?`,
		"curve shwo games":    `there is no command "curve shwo"; did you mean "curve show"?`,
		"curve":               "`rankcurve curve` needs one more word: show, plot, export",
		"top games --jsn":     "there is no flag --jsn; did you mean --json? `rankcurve top --help` lists all",
		"top games --jsn=1":   "there is no flag --jsn; did you mean --json?",
		"top games -x":        "there is no flag -x; did you mean -n?",
		"top games -n":        "flag -n needs a value",
		"top -n --json games": "flag -n needs a value",
		"top -n -- games":     "flag -n needs a value",
		"--db":                "flag --db needs a value",
		"-n 5 top games":      "there is no flag -n",
		"curve show --full b": "there is no flag --full",
	} {
		_, err := interleave((&program{}).app(), strings.Fields(line))
		if err == nil || exitCode(err) != exitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", line, err, want)
		}
	}
}

// Whatever is typed, nothing panics, and what is read as arguments was typed.
func FuzzInterleave(f *testing.F) {
	for _, seed := range []string{"top games -n 5", "rank b -- -x --", "--db= curve show", "- -- - =", "--=x top", "-1 -- post"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Fields(line)
		ordered, err := interleave((&program{}).app(), words)
		if err == nil && len(ordered) > len(words)+1 {
			t.Errorf("%q grew to %q", words, ordered)
		}
	})
}
