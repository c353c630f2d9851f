package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLegible(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"ann, Zoë, 田中, 👑, Ωµ~":    "ann, Zoë, 田中, 👑, Ωµ~",
		"a\nb\tc":                 `a\nb\u0009c`,
		"\x1b[31mred":             `\u001b[31mred`,
		"ann\u202egpj":            `ann\u202egpj`,
		"\u2066x\u2069":           `\u2066x\u2069`,
		"\x7f\u0085\u009b":        `\u007f\u0085\u009b`,
		"tag \U000e0041":          `tag \udb40\udc41`,
		"half \xff\xc3":           `half \xff\xc3`,
		"a\ufffdb\u2028c":         "a\ufffdb" + `\u2028c`,
		"no\u200dbody, no\u00a0b": `no\u200dbody, no\u00a0b`,
	} {
		if got := legible(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
	if got := legibleLines("a\n\tb\r\x1b"); got != "a\n\tb"+`\u000d\u001b` {
		t.Errorf("lines are shown as %q", got)
	}
}

// What others wrote neither breaks a table nor reaches the terminal as it is, wherever it
// is shown; JSON has it as it was.
func TestTextsOfOthersAreShownLegibly(t *testing.T) {
	const owner, clan = "ann\u202egpj", "x\x1b[31m\ny\u2067"
	s := newShell(t)
	s.run("load", "games", s.file("f.csv", "owner,xp\n"+owner+",7\n")).ok()
	s.run("rebuild", "games").ok()
	var shown strings.Builder
	for _, c := range []struct {
		line  string
		lines int // of output; 0: not looked at
	}{
		{"post games OWNER xp=8 --attribute CLAN", 1},
		{"top games --attributes", 2},
		{"page games", 2},
		{"owner OWNER", 2},
		{"rank games OWNER", 2},
		{"around games OWNER", 2},
		{"post games OWNER xp=9 --rank", 2},
		{"hide games OWNER", 2},
		{"owner OWNER --hidden", 2},
	} {
		r := s.run(s.words(c.line, owner, clan)...).ok(`ann\u202egpj`)
		if got := strings.Count(r.out, "\n"); got != c.lines {
			t.Errorf("%s prints %d lines, want %d:\n%s", c.line, got, c.lines, r.out)
		}
		shown.WriteString(r.out)
	}
	s.run("unhide", "games", owner).ok()
	for _, r := range []result{
		s.run("rank", "games", "b"+owner).fails(exitNotFound, `bann\u202egpj`),
		s.run("load", "games", s.file("bad.csv", "owner,\"xp\n\x1b[2J\"\nann,1\n"), "--column", "xp").fails(exitFailed, `(there are: xp\n\u001b[2J)`),
		s.run("load", "games", s.file("bad.csv", "owner,xp,\"a\n\x1b\",\"a\n\x1b\"\n")).fails(exitFailed, `bad.csv:1: a\n\u001b: is the name of columns 3 and 4`),
		s.run("load", "games", s.file("bad.ndjson", `{"owner":"ann","xp":[`+"\"\u202e\""+`]}`)).fails(exitFailed, `\u202e`),
		s.run("load", "games", s.file("more.csv", "owner,xp,\"a\n\x1b\"\nann,1,2\n"), "--column", "xp").ok(`a\n\u001b`),
		s.run("top", "games\u202e").fails(exitNotFound, `\u202e`),
	} {
		shown.WriteString(r.out + r.err)
	}
	for _, raw := range []string{"\x1b", "\u202e", "\u2067"} {
		if strings.Contains(shown.String(), raw) {
			t.Errorf("%q reaches the terminal:\n%q", raw, shown.String())
		}
	}
	row := s.run("owner", owner, "--json").ok()
	var e struct {
		Owner      string
		Attributes map[string]string
	}
	if err := json.Unmarshal([]byte(row.out), &e); err != nil || e.Owner != owner || e.Attributes["clan"] != clan {
		t.Errorf("%v: %+q of %s", err, e, row.out)
	}
}

// words are those of a line with its names in their places.
func (s *shell) words(line, owner, clan string) []string {
	words := strings.Fields(line)
	for i, word := range words {
		words[i] = strings.NewReplacer("OWNER", owner, "CLAN", "clan="+clan).Replace(word)
	}
	return words
}

// A cell stays one line, whoever wrote it.
func TestACellIsOneLine(t *testing.T) {
	var b strings.Builder
	table := newTable(&b, "OWNER", "a\nb").texts(0)
	table.row("x\ty\n", "\x1b[1A")
	if err := table.print(); err != nil || b.String() != `OWNER             a\nb`+"\n"+`x\u0009y\n   \u001b[1A`+"\n" {
		t.Errorf("%v\n%s", err, b.String())
	}
}
