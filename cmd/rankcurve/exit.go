package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// A usageError is a command line or a configuration that cannot be carried out.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// A hint is an error of below with what to do about it.
type hint struct {
	cause error
	text  string
}

func (h *hint) Error() string { return h.cause.Error() + "; " + h.text }
func (h *hint) Unwrap() error { return h.cause }

func hintf(cause error, format string, args ...any) error {
	return &hint{cause, fmt.Sprintf(format, args...)}
}

// An advice is an error whose text says it all, for a person: what it wraps, for
// the exit code, would only repeat it.
type advice struct {
	cause error
	text  string
}

func (a *advice) Error() string { return a.text }
func (a *advice) Unwrap() error { return a.cause }

func advicef(cause error, format string, args ...any) error {
	return &advice{cause, fmt.Sprintf(format, args...)}
}

var errInternal = errors.New("internal error")

// internalError is a panic: a fault of this program, to be reported.
func internalError(recovered any) error {
	return fmt.Errorf("%w: %v; please report it with the command line at https://github.com/rankcurve/rankcurve/issues\n%s", errInternal, recovered, debug.Stack())
}

// withNextStep says what to do about a file or folder that the system refuses, where
// no command did.
func withNextStep(err error) error {
	var said *hint
	var file *fs.PathError
	if errors.As(err, &said) || isAdvice(err) || !errors.As(err, &file) {
		return err
	}
	switch {
	case errors.Is(file, fs.ErrPermission):
		return hintf(err, "ask for the right to it, or name another file")
	case errors.Is(file, fs.ErrNotExist):
		return hintf(err, "make the folder %s, or name a file elsewhere", filepath.Dir(file.Path))
	}
	return err
}

// complain writes an error: for a person in a line that says whose it is, with --json as an
// object of one line. Commands that it names are given the flags of this run, but in what
// is wrong with a command line, which is told in the words of its syntax.
func (p *program) complain(err error) {
	var usage *usageError
	text := strings.TrimRight(err.Error(), "\n")
	if errors.Is(err, context.Canceled) && !isAdvice(err) {
		// A command that writes gives its own advice from where it begins to.
		text = "stopped before it was done; nothing was changed: run the same command again"
	}
	if !errors.As(err, &usage) {
		text = withFlags(p.asked, text)
	}
	if p.json {
		_ = printJSON(legibleWriter{p.err}, failure{text, errorCode(err)}) // there is nobody else to tell
		return
	}
	fmt.Fprintln(p.err, "rankcurve: "+strings.ReplaceAll(legibleLines(text), "\n", "\n  "))
}

func isAdvice(err error) bool {
	var a *advice
	return errors.As(err, &a)
}
