package rankcurve

import (
	"context"
	"errors"

	"github.com/rankcurve/rankcurve/store"
)

// Post is one submission of an owner's scores.
type Post struct {
	Owner      string
	Scores     map[string]int64  // column name -> score in units of 10^-decimals
	Attributes map[string]string // merged into those that are there
	Operator   store.Operator    // how the scores change what is there; empty: each column's own
	ID         string            // of the post: the same one twice changes nothing; empty: not remembered
}

// Posted is what a post left behind.
type Posted struct {
	Entry   store.Entry // the row after the post
	Changed bool        // a score or an attribute changed
}

// Post applies one post.
func (b *Board) Post(ctx context.Context, p Post) (Posted, error) {
	return Posted{}, errors.ErrUnsupported
}

// PostAll applies many posts at once.
func (b *Board) PostAll(ctx context.Context, posts []Post) ([]Posted, []error, error) {
	return nil, nil, errors.ErrUnsupported
}
