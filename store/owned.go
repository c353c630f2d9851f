package store

import (
	"context"
	"fmt"
	"regexp"
)

// Owned is one of the rows of an owner: a board, and the row on it.
type Owned struct {
	Board Board
	Entry Entry
}

// Owners reads across boards.
type Owners interface {
	// BoardsOf reads all rows of one owner, those that are hidden too, sorted by the
	// boards' names. A row on a board that is not registered is passed by, for
	// nothing says what it holds. An owner without rows, or one that cannot be an
	// owner, has none: that is no error. A row that is there and cannot be read back
	// keeps no other from being answered: it is left out, and the error is an
	// *UnreadableError, which says why by board. So is one whose board's definition
	// cannot be read. May be eventually consistent. Costs
	// half a read unit per 4 KB begun of all the rows together.
	BoardsOf(ctx context.Context, owner string) ([]Owned, Usage, error)
}

// SecretBytes is the length of a secret.
const SecretBytes = 32

// Secrets keeps what everyone who opens a store shares, and nobody else knows.
type Secrets interface {
	// Secret is the store's own secret of a name: random bytes, made by the first call
	// and the same ever after, for all who ask. Names are short words of a-z and -;
	// others are ErrInvalid. Who may only read a store cannot make one.
	Secret(ctx context.Context, name string) ([]byte, Usage, error)
}

var secretName = regexp.MustCompile(`^[a-z][a-z-]{0,30}$`)

// ValidateSecret reports why a text cannot name a secret, or nil. The error is
// [ErrInvalid].
func ValidateSecret(name string) error {
	if !secretName.MatchString(name) {
		return fmt.Errorf("secret %q: use 1 to 31 of a-z and -, the first a letter: %w", name, ErrInvalid)
	}
	return nil
}
