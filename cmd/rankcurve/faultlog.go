package main

import (
	"log/slog"
	"regexp"
	"sync"
	"time"
)

// faultQuiet is how long a fault that was logged is not logged again.
const faultQuiet = time.Minute

// A faultLog warns of faults that nobody else is told of. What goes wrong again in the
// same words within a minute says nothing new: curves are asked for every few seconds. Our
// own end of a connection is no part of the words, for each has another.
type faultLog struct {
	log  *slog.Logger
	text string
	now  func() time.Time

	mu   sync.Mutex
	said map[string]time.Time // when, by the error's words
}

// ownEnd is what stands before the server's address, as in "read tcp 10.0.0.1:41234->10.0.0.2:11211".
var ownEnd = regexp.MustCompile(`[^\s>]+->`)

func newFaultLog(log *slog.Logger, text string) *faultLog {
	return &faultLog{log: log, text: text, now: time.Now, said: map[string]time.Time{}}
}

func (f *faultLog) warn(err error) {
	if f.isNew(ownEnd.ReplaceAllString(err.Error(), "->")) {
		f.log.Warn(f.text, "error", err)
	}
}

func (f *faultLog) isNew(words string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	for old, at := range f.said {
		if now.Sub(at) >= faultQuiet {
			delete(f.said, old)
		}
	}
	if _, told := f.said[words]; told {
		return false
	}
	f.said[words] = now
	return true
}
