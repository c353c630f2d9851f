package dynamo

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// The attributes of an entry's item. A column's attribute has the column's name,
// which is of two characters or more and so none of these.
const (
	attrOwner       = "o" // S, HASH of the table
	attrBoard       = "b" // S, RANGE of the table
	attrPartition   = "g" // S, HASH of every index; absent on a hidden row
	attrAttributes  = "d" // M of S, the unranked values
	attrVersion     = "v" // N
	attrWrites      = "y" // BS, the random numbers of the last writes,
	attrOtherWrites = "z" // BS, in turns of sixteen with y
	attrPosts       = "p" // L of S, the last post ids
	attrUpdated     = "u" // N, ms since 1970
	attrExpiry      = "x" // N, s since 1970; DynamoDB deletes the item some time after
)

// The system's own items have these in place of an owner. ValidateOwner refuses
// all owners that start with the same character.
const (
	ownerBoards  = "#board"  // b is the board's name
	ownerCurves  = "#curve"  // b is BOARD.COLUMN
	ownerStates  = "#state"  // b is BOARD.COLUMN, or BOARD.COLUMN#SLOT#PART
	ownerLeases  = "#lease"  // b is the lease's name
	ownerSecrets = "#secret" // b is the secret's name

	historyPrefix = "#history/" // and BOARD.COLUMN; b is the as-of time of a kept curve, see historyTime
)

// The attributes of the system's items, one letter for the same reason: a column
// named like one of them would be an index over it.
const (
	attrJSON       = "j" // S, a board's definition
	attrBytes      = "c" // B, a curve, a state or a part of one
	attrGeneration = "n" // N, of a curve
	attrHolder     = "h" // S, of a lease; absent when it was released
	attrFence      = "f" // N, of a lease
	attrExpires    = "e" // N, ms since 1970, of a lease
	attrSlot       = "s" // N, of a state: which of its two sets of parts holds
	attrParts      = "k" // N, of a state: how many parts it has
)

const indexPrefix = "by_"

// IndexName names the index of a column.
func IndexName(column string) string { return indexPrefix + column }

// columnOf is the column of an index's name; ok is false for another's index.
func columnOf(index string) (column string, ok bool) { return strings.CutPrefix(index, indexPrefix) }

type item = map[string]types.AttributeValue

func keyOf(owner, board string) item {
	return item{attrOwner: text(owner), attrBoard: text(board)}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

func binary(b []byte) types.AttributeValue {
	if b == nil {
		b = []byte{} // nil is sent as null, which no binary value is
	}
	return &types.AttributeValueMemberB{Value: b}
}

// placeKey is a row's key in an index: the index's own, then the table's.
func placeKey(p store.Partition, score, owner string) item {
	return item{
		attrPartition: text(p.HashKey()),
		p.Column:      number(score),
		attrOwner:     text(owner),
		attrBoard:     text(p.Board),
	}
}
