package main

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
)

func atFlag(what string) cli.Flag {
	return &cli.StringFlag{Name: "at", DefaultText: "now", Usage: what + " at `TIME` in the past: RFC 3339, a date, or 1h30m for so long ago"}
}

// pastTime reads a flag that tells a time in the past; nil if it was not given.
func pastTime(c *cli.Context, flag string) (*time.Time, error) {
	if !c.IsSet(flag) {
		return nil, nil //nolint:nilnil // a flag that was not given is no time and no fault
	}
	text, now := c.String(flag), clockOf(c)()
	at, ok := parseTime(text)
	if ago, err := config.Age(text).Duration(); err == nil && text != "" {
		at, ok = now.Add(-ago), true
	}
	switch {
	case !ok && text != "" && farBack.MatchString(text):
		return nil, usagef("--%s %s is longer ago than %d days, the most there is; name a later time", flag, text, config.MaxAge/(24*time.Hour))
	case !ok:
		return nil, usagef("--%s %q is no time; write it like 2026-11-21T09:30:00Z or 2026-11-21, in seconds since 1970, or as so long ago: 90m, 1h30m, 2d, 1w", flag, text)
	case at.After(now):
		return nil, usagef("--%s %s is in the future; it is %s", flag, moment(at), moment(now))
	}
	return &at, nil
}

// moment is a time as the commands about the past write it: one that they take again.
func moment(t time.Time) string { return store.Moment(t) }

// farBack is the form of a time so long ago, also of one that is too long.
var farBack = regexp.MustCompile(`^([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$`)

// scoresOfNow is said where owners are ranked in the past.
const scoresOfNow = "now"

// rankAt is what a rank of the past says beside those of now, in JSON: which time was asked
// for, and of when an owner's score is.
type rankAt struct {
	At      string `json:"at,omitempty"`
	ScoreOf string `json:"score_of,omitempty"`
}

// lookBack finds the curves of a time.
func (q *rankQuestion) lookBack(at time.Time) error {
	q.at = at
	for _, column := range q.by {
		past, _, err := q.board.At(q.c.Context, column.Name, at)
		if err != nil {
			return pastError(err)
		}
		q.past = append(q.past, past)
	}
	return nil
}

// pastError says that what is wrong with the time is a wrong flag.
func pastError(err error) error {
	if errors.Is(err, store.ErrInvalid) {
		return usagef("%s", bare(err))
	}
	return err
}

// askThen answers a batch of owners by the curves of a time.
func (q rankQuestion) askThen(owners []string) (_ [][]rankcurve.Answer, u store.Usage, _ error) {
	answers := make([][]rankcurve.Answer, len(owners))
	for _, past := range q.past {
		of, used, err := past.Rank(q.c.Context, owners...)
		u.Add(used)
		if err != nil {
			return nil, u, err
		}
		for i, a := range of {
			answers[i] = append(answers[i], a)
		}
	}
	return answers, u, nil
}

// rankedAt is what the answers say of the time that was asked for.
func (q rankQuestion) rankedAt() (at rankAt) {
	if q.past == nil {
		return at
	}
	at.At = timestamp(q.at)
	if !q.c.IsSet("score") {
		at.ScoreOf = scoresOfNow
	}
	return at
}

// explain says, below a table, what a rank of the past is of.
func (q rankQuestion) explain() {
	if q.past == nil || q.c.Bool("json") {
		return
	}
	text := "at " + moment(q.at)
	if !q.c.IsSet("score") {
		text += ": the ranks that the scores of now had then, for what scores owners had is not kept"
	}
	fmt.Fprintln(q.c.App.Writer, text)
}
