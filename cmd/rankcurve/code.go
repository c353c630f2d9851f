package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store"
)

// Exit codes of the program; scripts rely on them.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2 // a wrong flag, argument or configuration
	exitNotFound = 3 // a board, column, owner, curve, database, table or index that is not there
)

// An errorClass is how a program tells an error from others: with --json by its code, else
// by the exit code alone.
type errorClass struct {
	is   error
	code string
	exit int
}

// otherErrors have no class.
const otherErrors = "failed"

// errorClasses are in the order in which they are looked for: an error that is of several
// has the first. Programs rely on the codes, and so they are in the README.
var errorClasses = []errorClass{
	{rankcurve.ErrForgotten, "forgotten", exitFailed},
	{store.ErrUnknown, "unknown_outcome", exitFailed},
	{store.ErrTooExpensive, "too_expensive", exitFailed},
	{rankcurve.ErrNoCurve, "no_curve", exitNotFound},
	{store.ErrNotFound, "not_found", exitNotFound},
	{store.ErrNoColumn, "not_found", exitNotFound},
	{store.ErrNoTable, "not_found", exitNotFound},
	{context.Canceled, "stopped", exitFailed},
	{rankcurve.ErrStaleCurve, "stale_curve", exitFailed},
	{rankcurve.ErrBadCurve, "damaged", exitFailed},
	{store.ErrLimit, "limit", exitFailed},
	{rankcurve.ErrLate, "late", exitFailed},
	{store.ErrBoardMismatch, "mismatch", exitFailed},
	{store.ErrInvalid, "invalid", exitFailed},
	{store.ErrConflict, "conflict", exitFailed},
	{store.ErrStale, "conflict", exitFailed},
	{store.ErrInUse, "in_use", exitFailed},
	{store.ErrHeld, "in_use", exitFailed},
	{store.ErrLost, "in_use", exitFailed},
	{store.ErrDenied, "denied", exitFailed},
	{store.ErrThrottled, "throttled", exitFailed},
	{store.ErrUnavailable, "unavailable", exitFailed},
	{store.ErrCorrupt, "damaged", exitFailed},
	{store.ErrNoDatabase, "damaged", exitFailed},
	{errInternal, "internal", exitFailed},
}

func classOf(err error) errorClass {
	var usage *usageError
	if errors.As(err, &usage) {
		return errorClass{usage, "usage", exitUsage}
	}
	at := slices.IndexFunc(errorClasses, func(class errorClass) bool { return errors.Is(err, class.is) })
	if at < 0 {
		return errorClass{err, otherErrors, exitFailed}
	}
	return errorClasses[at]
}

func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	return classOf(err).exit
}

func errorCode(err error) string { return classOf(err).code }

// A failure is an error in JSON: of a command in the last line of standard error, of one
// owner or row in its place.
type failure struct {
	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"`
}

func failureOf(err error) failure { return failure{err.Error(), errorCode(err)} }

// wantsJSON says whether a command line asks for JSON, also one that is wrong.
func wantsJSON(words []string) bool {
	for _, word := range words {
		if word == "--" {
			return false
		}
		flag, value, valued := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if flag != "json" || word[0] != '-' {
			continue
		}
		if on, err := strconv.ParseBool(value); !valued || err == nil && on {
			return true
		}
	}
	return false
}
