package main

import (
	"io"
	"testing"
)

// Commands that an error names are those that can be pasted; all else in it stays.
func TestCommandsInErrorsAreGivenTheFlags(t *testing.T) {
	s := newShell(t)
	s.board(3)
	s.run("top", "game").fails(exitNotFound, "run `rankcurve --db "+s.db()+" load game FILE` to make this one")
	s.run("top", "games", "-n", "0").fails(exitUsage, "-n 0 is not in")
	s.run("top").fails(exitUsage, "not what `rankcurve top BOARD` takes; `rankcurve top --help` has examples")
	cfg := s.file("my config.yaml", "store: {bolt: {path: "+s.db()+"}}")
	s.bare("--config", cfg, "top", "game").fails(exitNotFound, "run `rankcurve --config '"+cfg+"' load game FILE`")

	p := program{in: s.in, environ: s.environ, out: io.Discard, err: io.Discard, isTerminal: func(any) bool { return false }}
	p.run(s.ctx, []string{"rankcurve", "--table", "my boards", "--endpoint", "http://127.0.0.1:1", "--region", "eu-west-1", "config", "check"})
	for text, want := range map[string]string{
		"rankcurve top":                      "rankcurve top",
		"`rankcurve top games`":              "`rankcurve --table 'my boards' --region eu-west-1 --endpoint http://127.0.0.1:1 top games`",
		"`rankcurve --db x top`":             "`rankcurve --db x top`",
		"`rankcurve demo`":                   "`rankcurve demo`",
		"`rankcurve table create --table X`": "`rankcurve --region eu-west-1 --endpoint http://127.0.0.1:1 table create --table X`",
		"`aws dynamodb delete-item --table-name a`, or `aws sts get-caller-identity`": "`aws dynamodb delete-item --endpoint-url http://127.0.0.1:1 --region eu-west-1 --table-name a`, or `aws sts get-caller-identity`",
		"`aws dynamodb update-item`": "`aws dynamodb update-item --endpoint-url http://127.0.0.1:1 --region eu-west-1`",
	} {
		if got := withFlags(p.asked, text); got != want {
			t.Errorf("%s became\n%s, want\n%s", text, got, want)
		}
	}
}
