package dynamo

import (
	"bytes"
	"crypto/rand"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// A token is a write's own random number. A row keeps those of its last writes, by
// which a write that was tried again after a lost answer is known to be in the row,
// also when others have written over it since. Six bytes are enough to tell a few
// dozen from each other, and so short that a row with sixteen UUIDs as post ids
// stays under the 1 KB that a write unit pays.
type token []byte

const tokenBytes = 6

func newToken() token {
	t := make(token, tokenBytes)
	_, _ = rand.Read(t) // cannot fail
	return t
}

// The tokens lie in two sets that take turns: the write that makes version 16, 32,
// 48, ... empties the older one and begins it anew, the others add to it. So a set
// needs no reading before it is written, and at least the last 16 writes are kept.
const turn = 16

// journalOf is the set that keeps the token of the write that makes a version, and
// begins says that this write is its first.
func journalOf(version int64) (attribute string, begins bool) {
	attribute = attrWrites
	if version/turn%2 == 1 {
		attribute = attrOtherWrites
	}
	return attribute, version%turn == 0
}

// keptUntil is the version that drops the token of the one that made a version.
func keptUntil(version int64) int64 { return (version/turn + 2) * turn }

// tokensOf are the tokens in one of the two sets.
func tokensOf(i item, attribute string) [][]byte {
	if set, ok := i[attribute].(*types.AttributeValueMemberBS); ok {
		return set.Value
	}
	return nil
}

// in says whether the write with the token is one of a row's last.
func (t token) in(i item) bool {
	for _, attribute := range []string{attrWrites, attrOtherWrites} {
		for _, other := range tokensOf(i, attribute) {
			if bytes.Equal(other, t) {
				return true
			}
		}
	}
	return false
}

// note makes an update add the token of the write that makes a version.
func (t token) note(x *expression, version int64) {
	attribute, begins := journalOf(version)
	set := &types.AttributeValueMemberBS{Value: [][]byte{t}}
	if begins {
		x.set(attribute, set)
	} else {
		x.add(attribute, set)
	}
}

// outcome is what became of a write of which an attempt may have been carried out.
type outcome int

const (
	undone  outcome = iota // it is not in the row
	done                   // it is, or was until others wrote over it
	unknown                // the row has forgotten
)

// outcome judges by the row that is there after the write was refused. The write
// would have made a version. A row that is gone, or younger than that, holds
// nothing of it.
func (t token) outcome(there item, made int64) outcome {
	if there == nil {
		return undone
	}
	if t.in(there) {
		return done
	}
	version, err := versionOf(there)
	kept := len(tokensOf(there, attrWrites))+len(tokensOf(there, attrOtherWrites)) > 0
	switch {
	case err == nil && version < made, err == nil && kept && version < keptUntil(made):
		return undone
	}
	return unknown
}

// versionOf is a row's version.
func versionOf(i item) (int64, error) {
	value, there := i[attrVersion]
	if !there {
		return unwritten, nil
	}
	return integerOf(value)
}

// witness is a token that a row at its version has, and none that is made after the
// row was deleted: it tells the two apart. There is none in a row that another
// program made.
func witness(i item) token {
	version, err := versionOf(i)
	if err != nil {
		return nil
	}
	attribute, _ := journalOf(version)
	if tokens := tokensOf(i, attribute); len(tokens) > 0 {
		return tokens[0]
	}
	return nil
}

// uncertain marks an error of a write that may have been carried out all the same.
func uncertain(n sent, err error) error {
	if !n.unsure {
		return err
	}
	return &failure{text: err.Error() + "; it may have been stored: " + store.ErrUnknown.Error(), kind: store.ErrUnknown, cause: err}
}
