package config

import (
	"fmt"
	"time"
)

// History says which published curves are kept, for questions about the past.
type History struct {
	Keep  Age // for how long after others have replaced them; none or 0s: none are
	Every Age // and of each such stretch of time one: so there are Keep/Every of them, or one more
}

// mostKept bounds how many curves are kept of a column: a history of them all reads them.
const mostKept = 10_000

// Spans are the two lengths of time.
func (h History) Spans() (keep, every time.Duration) {
	keep, _ = h.Keep.Duration() // Load has refused what is none
	every, _ = h.Every.Duration()
	return keep, every
}

// faults are those of the history, with keys below refresh.
func (h History) faults() (faults []fault) {
	report := func(key, format string, args ...any) {
		faults = append(faults, fault{key: "history." + key, text: fmt.Sprintf(format, args...)})
	}
	keep, err := h.Keep.Duration()
	if err != nil {
		report("keep", "%v, or 0s to keep none", err)
	}
	every, wrong := h.Every.Duration()
	switch {
	case wrong != nil:
		report("every", "%v", wrong)
	case every < time.Second:
		report("every", "%q is less than 1s; 5m suits most boards", h.Every)
	case err == nil && keep/every > mostKept:
		report("every", "%s over %s are %d curves, of a column %d are kept at most; keep them for less long, or further apart", h.Every, h.Keep, keep/every, mostKept)
	}
	return faults
}
