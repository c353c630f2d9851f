package store

import (
	"context"
	"fmt"
	"time"
)

// Archived is a published curve that is kept to look back at. A store does not look
// inside Data.
type Archived struct {
	AsOf       time.Time // when the board was so, to the millisecond
	Generation int64
	Data       []byte
	Expires    time.Time // a backend that deletes what has expired may do so from here on; zero: never
}

// Moment is a time in UTC as messages about curves tell it: one that can be asked for
// again. It has milliseconds where the time has, as curves are kept by the millisecond.
func Moment(t time.Time) string {
	if t.UnixMilli()%1000 == 0 {
		return t.UTC().Format(time.RFC3339)
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// MaxArchived is the last time that a curve can be kept under, in milliseconds since
// 1970; the first one is 0.
const MaxArchived = 999_999_999_999_999

// Validate reports why a curve cannot be kept, [ErrInvalid], or nil.
func (a Archived) Validate() error {
	if ms := a.AsOf.UnixMilli(); ms < 0 || ms > MaxArchived {
		return fmt.Errorf("a curve as of %s cannot be kept, the time is out of range: %w", Moment(a.AsOf), ErrInvalid)
	}
	return nil
}

// ArchiveMillis is a time as curves are kept under it, moved into the range that they
// can be kept in.
func ArchiveMillis(t time.Time) int64 { return min(max(t.UnixMilli(), 0), MaxArchived) }

// PruneMost is how many curves one call of PruneArchive deletes at most.
const PruneMost = 100

// History keeps curves that were published, so that questions about the past can be
// answered.
type History interface {
	// Archive keeps a curve under its as-of time, in place of one that is kept under
	// the same. One that Archived.Validate refuses is refused with its error. Costs a
	// write unit per KB begun.
	Archive(ctx context.Context, k CurveKey, a Archived) (Usage, error)

	// CurveAt reads the newest kept curve that is as of this time or before, or
	// ErrNotFound. Expires is not told. Costs a read unit per 4 KB begun.
	CurveAt(ctx context.Context, k CurveKey, at time.Time) (Archived, Usage, error)

	// CurvesBetween reads the kept curves that are as of these times or between them,
	// oldest first, the first limit of them (0: all); the others begin a millisecond
	// after the last one's as-of time. None is no error. Expires is not told. May be
	// eventually consistent. Costs half a read unit per 4 KB begun of all together.
	CurvesBetween(ctx context.Context, k CurveKey, from, to time.Time, limit int) ([]Archived, Usage, error)

	// PruneArchive deletes the oldest of the curves that are as of before a time,
	// PruneMost of them at most, and tells how many it has deleted. Those that it has
	// deleted before an error stay deleted. Costs what Archive of them did, and what
	// reading them does; finding none costs a read unit.
	PruneArchive(ctx context.Context, k CurveKey, before time.Time) (deleted int, u Usage, err error)
}
