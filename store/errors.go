package store

import "errors"

// The errors that a caller may branch on with errors.Is. Every backend wraps its
// own in these, with the board, owner or partition in the message.
var (
	ErrNotFound      = errors.New("not found")                     // no such entry, board, curve
	ErrNoColumn      = errors.New("no such column")                // the board has no such column
	ErrConflict      = errors.New("changed meanwhile")             // a conditional write met another version
	ErrUnknown       = errors.New("outcome not known")             // a write that may have been carried out; read before it is sent again
	ErrBoardMismatch = errors.New("board has another definition")  // the registry holds other shards or columns
	ErrStale         = errors.New("a newer generation is there")   // an older curve may not replace a newer
	ErrHeld          = errors.New("held by another")               // a lease that has not run out
	ErrLost          = errors.New("lease lost")                    // a lease that another took since
	ErrInvalid       = errors.New("invalid")                       // a value that cannot be stored
	ErrInUse         = errors.New("in use by another process")     // the embedded file is locked
	ErrNoDatabase    = errors.New("not a rankcurve database")      // the file is something else
	ErrClosed        = errors.New("store is closed")               // used after Close
	ErrTooExpensive  = errors.New("over the read budget")          // would cost more read units than allowed
	ErrCorrupt       = errors.New("stored data cannot be decoded") // a damaged entry, board, curve or state
	ErrUnavailable   = errors.New("store cannot be reached")       // try again later
	ErrThrottled     = errors.New("throttled")                     // over what the table or a partition may do in a second
	ErrDenied        = errors.New("access denied")                 // no credentials, or not allowed to do it
	ErrNoTable       = errors.New("no such table or index")        // to be made by `rankcurve table create|sync`
)
