package dynamo

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rankcurve/rankcurve/store"
)

// A row whose score the column cannot hold, for another program wrote it, is left
// out where rows are read and counted where DynamoDB counts: one such row must not
// be the end of a board.

// leftOut are the rows that were left out of a page.
type leftOut struct {
	rows    int
	example string
}

func (l *leftOut) note(table string, p store.Partition, i item, why error) {
	l.rows++
	if l.example != "" {
		return
	}
	owner := textOf(i[attrOwner])
	l.example = fmt.Sprintf("owner %q on board %q: attribute %s %v; %s", owner, p.Board, p.Column, why, remedy(table, p.Board, owner, p.Column))
}

// remedy says what to do about an attribute that cannot be read. A row without it is
// sound, whichever it is, so there is a whole command that can be pasted.
func remedy(table, board, owner, attribute string) string {
	row := itemOf(table, owner, board)
	return fmt.Sprintf("docs/schema.md says what it must be: set it anew, or take it away with `aws dynamodb update-item %s --update-expression 'REMOVE #a' --expression-attribute-names %s`, or the row with `aws dynamodb delete-item %s`",
		row, jsonWord(map[string]string{"#a": attribute}), row)
}

// itemOf names an item to the AWS command line.
func itemOf(table, owner, board string) string {
	return fmt.Sprintf("--table-name %s --key %s", table, jsonWord(map[string]map[string]string{attrOwner: {"S": owner}, attrBoard: {"S": board}}))
}

// jsonWord is JSON as one word of a command line.
func jsonWord(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "''" // cannot be: texts are JSON
	}
	return "'" + strings.ReplaceAll(string(text), "'", `'\''`) + "'"
}

// endOf is the place where a page ended. One with a score between two of the
// column's is no place to go on from, for none that is named with a score of the
// column lies there too. What follows it are the rows of the next score: the place
// is that one's key without an owner, or none when it lies behind the selection.
func endOf(q store.Query, c store.Column, i item) (*store.Position, error) {
	score, err := scoreOf(i[c.Name], c)
	if err == nil {
		return &store.Position{Key: c.Key(score), Owner: textOf(i[attrOwner])}, nil
	}
	below, floorErr := floorOf(i[c.Name], c)
	if floorErr != nil {
		return nil, fmt.Errorf("read partition %s: owner %q: attribute %s %w: %w; docs/schema.md says what it must be", q.Partition, textOf(i[attrOwner]), c.Name, err, store.ErrCorrupt)
	}
	worse, better := c.Key(below), c.Key(below+1)
	if c.Order == store.Asc {
		worse, better = better, worse
	}
	last := store.Position{Key: worse}
	if q.Reverse {
		last.Key = better
	}
	if last.Key < q.To || last.Key > q.From {
		return nil, nil
	}
	return &last, nil
}

// behind cuts a query off where it goes on from a place without an owner: that is
// before all rows of its key.
func behind(q store.Query) (rest store.Query, exhausted bool) {
	key := q.After.Key
	q.After = nil
	if q.Reverse {
		q.To = max(q.To, key)
	} else {
		q.From = min(q.From, key)
	}
	return q, q.From < q.To
}
