package jobs_test

import (
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A soakLog keeps the last lines of each board, for when something is wrong with it, and
// fails the test for those that report a mistake of ours.
type soakLog struct {
	t     *testing.T
	mu    sync.Mutex
	lines map[string][]string
}

var boardOfLine = regexp.MustCompile(` (?:board|curve)=([a-z0-9-]+)`)

// of is a worker's part of it.
func (l *soakLog) of(worker string) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})).With("worker", worker)
}

// Write implements io.Writer.
func (l *soakLog) Write(p []byte) (int, error) {
	text := string(p)
	if strings.Contains(text, "internal error") {
		l.t.Error(text)
	}
	if board := boardOfLine.FindStringSubmatch(text); board != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		const kept = 24
		lines := l.lines[board[1]]
		l.lines[board[1]] = append(slices.Clone(lines[max(0, len(lines)+1-kept):]), text)
	}
	return len(p), nil
}

// lately is what workers said of a board.
func (l *soakLog) lately(board string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines[board], "")
}
