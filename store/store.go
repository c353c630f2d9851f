package store

import (
	"context"
	"time"
)

// Store is one backend, complete. All methods are safe for concurrent use. A
// context that ends before a call has begun its work makes the call return the
// context's error; a write that has begun is carried through.
type Store interface {
	Entries
	Owners
	Partitions
	Boards
	Curves
	History
	Leases
	Secrets

	// Close waits for writes under way and releases the store. Calls made after
	// it return ErrClosed. A second Close does nothing and returns nil.
	Close() error
}

// Entries keeps the rows of the boards.
type Entries interface {
	// Entry reads one owner's row, strongly consistent. A missing one is
	// ErrNotFound. Costs one read unit per 4 KB begun.
	Entry(ctx context.Context, b Board, owner string) (Entry, Usage, error)

	// EntriesOf reads many owners' rows; the answer has the order of owners, and
	// a missing row has Version 0 and its Owner set. An owner named twice is
	// answered twice. A row that is there and cannot be read back keeps no other from
	// being answered: it stands in the answer as a missing one does, and the error is an
	// *UnreadableError, which says why. Costs half a read unit per row and 4 KB begun.
	EntriesOf(ctx context.Context, b Board, owners []string) ([]Entry, Usage, error)

	// Put stores the row if the stored version is still e.Version (0: if there is
	// none), with Version e.Version+1, and moves it in every index: a column that
	// is absent from e.Scores is absent from its index, a hidden row is in none.
	// Otherwise it is ErrConflict and nothing changes. An entry that
	// Board.ValidateEntry refuses is refused with its error, here, in PutAll and
	// in Load.
	//
	// An error that is ErrUnknown too says that the row may have been stored all the
	// same: the answers were lost, or the context ended. One that is ErrConflict and
	// not ErrUnknown is proof that it was not.
	Put(ctx context.Context, b Board, e Entry) (Usage, error)

	// PutAll is many Puts at once: errs[i] is what Put of entries[i] alone would
	// have returned, and one's failure does not touch another. An error of the
	// call itself says that none is known to be stored.
	PutAll(ctx context.Context, b Board, entries []Entry) (errs []error, u Usage, err error)

	// Load sets the scores and attributes given, for many owners at once, and
	// keeps what else the rows hold; owners not there yet are created. A row that
	// would not change is not written. Not conditional. The owners must differ
	// from each other (ErrInvalid). After a nil error all are stored; after
	// another, any part of them may be, and loading them again is safe.
	Load(ctx context.Context, b Board, entries []Entry) (Usage, error)

	// Delete removes the row, and its index entries, if the stored version is
	// still so; otherwise it is ErrConflict. A missing row is ErrNotFound. ErrUnknown
	// is as in Put.
	Delete(ctx context.Context, b Board, owner string, version int64) (Usage, error)
}

// Query selects rows of one partition.
type Query struct {
	Partition Partition
	From, To  int64     // keys, both inclusive, From >= To: the best and the worst wanted
	Reverse   bool      // worst first
	After     *Position // continue behind this place, the Last of an earlier page of the same partition and direction
	Limit     int       // rows at most; 0: as many as a page holds
}

// Position is a row's place in a partition.
type Position struct {
	Key   int64
	Owner string
}

// Page is an answer of rows in rank order (best first, or worst first when
// reversed). Last is where the page ended, nil when the selection is exhausted.
// A Last does not promise that more follows. A row that another program has written
// with what can be no score of the column is left out, and Usage.Skipped counts it;
// a Last that falls on one has the next key behind it and no owner.
type Page struct {
	Rows  []Position
	Last  *Position
	Usage Usage
}

// CountPage is an answer of a number only; Last is as in Page. Rows that Page leaves
// out are counted.
type CountPage struct {
	Count int64
	Last  *Position
	Usage Usage
}

// Partitions reads the indexes. Reads may be eventually consistent: a write that
// has been acknowledged shows after a while. A page ends after Query.Limit rows
// or [PageBytes], whichever comes first, and costs half an index read unit per
// 4 KB begun, whether its rows come back or only their number. Rows of one key
// come in no promised order, but in the same one in Rows, Count and both
// directions (reversed). A partition that holds nothing, of a board that was
// never made too, is empty, not an error. Each answer is one snapshot of its
// partition, but for rows that move while it is read from a backend that is
// eventually consistent. A query whose From is below its To, or whose Limit is
// negative, is ErrInvalid.
type Partitions interface {
	// Rows reads a page of a partition's rows.
	Rows(ctx context.Context, q Query) (Page, error)

	// Count counts a page of a partition's rows: the Count and Last are what Rows
	// would have answered, but for rows that it leaves out, at the same price.
	Count(ctx context.Context, q Query) (CountPage, error)
}

// Boards is the registry of what boards there are and how they are made.
type Boards interface {
	// CreateBoard registers a valid definition (ErrInvalid otherwise), as it is: see
	// Board.Stamped. The same definition again is nil and changes nothing, whatever
	// its ID and creation time; another one under the same
	// name is ErrBoardMismatch, as Board.Same says it.
	CreateBoard(ctx context.Context, b Board) error

	// Board finds a definition by name, or ErrNotFound.
	Board(ctx context.Context, name string) (Board, error)

	// Boards lists all definitions, sorted by name. One that is there and cannot be read
	// back keeps no other from being listed: it is left out, and the error is an
	// *UnreadableError, which says why by board.
	Boards(ctx context.Context) ([]Board, error)

	// DropBoard deletes a board that has expired at now, with its curves, its states, those
	// kept beside them under COLUMN/NAME, its history, and the leases of its columns, see
	// CurveKey.Lease: whoever holds one has lost it. An unknown one is ErrNotFound, one that has not expired ErrInvalid.
	// Its rows go with it, unless the backend deletes those that have expired by itself.
	// One that was stopped on the way can be called again.
	DropBoard(ctx context.Context, name string, now time.Time) error
}

// CurveKey names one column of one board, see [Board.CurveKey]. A store has one
// board of a name, so what is durable is found by Board and Column alone; caches,
// which outlive tables and serve several, keep curves of different IDs apart.
type CurveKey struct {
	Board  string
	Column string
	ID     string // the board's
}

// String is BOARD.COLUMN.
func (k CurveKey) String() string { return k.Board + "." + k.Column }

// Lease is the name of the lease under which the curve is made.
func (k CurveKey) Lease() string { return "refresh/" + k.String() }

// Published is an encoded curve as it was published. A store does not look
// inside Data.
type Published struct {
	Generation int64
	Data       []byte
}

// Curves keeps what refreshes leave behind: the published curve of each column,
// and the state that the next refresh starts from.
type Curves interface {
	// Curve reads the published curve, or ErrNotFound. One that cannot be read back
	// as it was stored is ErrCorrupt.
	Curve(ctx context.Context, k CurveKey) (Published, Usage, error)

	// Publish stores a curve if its generation is larger than the one that is
	// there; otherwise it is ErrStale and the old one stays. One that is ErrCorrupt
	// is replaced by any.
	Publish(ctx context.Context, k CurveKey, p Published) (Usage, error)

	// State reads what SaveState last stored, or ErrNotFound.
	State(ctx context.Context, k CurveKey) ([]byte, Usage, error)

	// SaveState replaces the refresh state. The lease's holder alone calls it.
	SaveState(ctx context.Context, k CurveKey, state []byte) (Usage, error)
}

// Cached is a store whose Curve may answer from a cache, behind what is durable.
type Cached interface {
	// Durable is the store behind the cache.
	Durable() Store
}

// Lease is the right to do one named piece of work, until it expires.
type Lease struct {
	Name    string
	Holder  string
	Fence   int64 // grows with every taking, so that a late holder can be told from its successor
	Expires time.Time
}

// NextFence is the fence of a lease that is taken at now, after one with that fence; 0 is
// one that there is no record of. It is the time in milliseconds at least: so the fences of
// a lease whose record went with its board do not begin again with those of old holders.
func NextFence(before int64, now time.Time) int64 { return max(before+1, now.UnixMilli()) }

// Leases hands out leases. The caller's clock is used and passed in: a clock that
// runs ahead takes a lease early, one that runs behind takes it late, and the
// fence decides in both cases who may publish.
type Leases interface {
	// Acquire takes the lease at time now for ttl. While another holder's has not
	// expired at now it is ErrHeld, naming the holder and the expiry. A lease that
	// expired, was released or is the caller's own is taken with a larger Fence.
	Acquire(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (Lease, error)

	// Renew prolongs a lease to now+ttl if no other took it since (the Fence is
	// still the same), even when it has expired; otherwise it is ErrLost.
	Renew(ctx context.Context, l Lease, now time.Time, ttl time.Duration) (Lease, error)

	// Release gives a lease up, so that another can take it at once; one that
	// another took since is ErrLost and stays with its new holder.
	Release(ctx context.Context, l Lease) error
}
