package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompletionScripts(t *testing.T) {
	s := newShell(t)
	s.bare("completion", "bash").ok("complete -o bashdefault -o default -F _rankcurve rankcurve", completionWord)
	s.bare("completion", "zsh").ok("compdef _rankcurve rankcurve", completionWord)
	s.bare("completion", "fish").ok("complete", "rankcurve", "read-budget")
}

func TestCompletionsAreAsked(t *testing.T) {
	s := newShell(t)
	for line, want := range map[string]string{
		"|":                   "demo load post remove hide unhide rebuild worker top rank score history around page owner boards prune curve verify plan table config simulate completion",
		"re|":                 "remove rebuild",
		"--d|":                "--db",
		"--db x.db t|":        "top table",
		"table d|":            "describe delete",
		"curve |":             "show plot export",
		"curve p|":            "plot",
		"top --j|":            "--json",
		"top games -|":        "--help --version --config --log-level --store --db --table --region --endpoint --cache --memcached -n --column --period --attributes --json",
		"rank games --mode |": "",
		"load games |":        "",
		"top -- -|":           "",
		"tpo -|":              "",
	} {
		r := s.bare(append([]string{completionWord}, strings.Split(strings.TrimSuffix(line, "|"), " ")...)...).ok()
		if got := strings.Join(strings.Fields(r.out), " "); got != want {
			t.Errorf("%q completes to %q, want %q", line, got, want)
		}
	}
}

// The script in a real bash, with a stand-in for the program.
func TestBashCompletionScriptRuns(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("this machine has no bash")
	}
	s := newShell(t)
	folder := t.TempDir()
	script := s.bare("completion", "bash").ok().out
	stand := "#!/bin/sh\nshift\nfor w; do echo \"saw:$w\"; done\necho --json\n"
	if err := os.WriteFile(filepath.Join(folder, "rankcurve"), []byte(stand), 0o700); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(bash, "-c", script+`
COMP_WORDS=(rankcurve top games --j); COMP_CWORD=3; _rankcurve; echo "${COMPREPLY[@]}"
COMP_WORDS=(rankcurve top ''); COMP_CWORD=2; _rankcurve; echo "${COMPREPLY[@]}"`)
	command.Env = append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if want := "--json\nsaw:top saw: --json\n"; err != nil || string(out) != want {
		t.Errorf("bash completes %q, %v; want %q", out, err, want)
	}
}
