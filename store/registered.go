package store

import (
	"encoding/json"
	"fmt"
)

// DecodeBoard reads a definition as the registry keeps it: JSON, under the board's name.
// One that is no JSON, is of another name or could not have been registered is
// [ErrCorrupt]; the error names the board.
func DecodeBoard(name string, data []byte) (b Board, err error) {
	if err = json.Unmarshal(data, &b); err == nil {
		err = b.Validate()
	}
	if err == nil && b.Name != name {
		err = fmt.Errorf("name: it is the definition of %q", b.Name)
	}
	if err != nil {
		return Board{}, fmt.Errorf("decode board %q: %w: %w", name, ErrCorrupt, err)
	}
	return b, nil
}

// FamilyOf is the family that a board of a name is of, if it is of one: that of the
// period which the name ends in, or the name itself. It is for boards whose definition,
// which says it, cannot be read.
func FamilyOf(name string) string {
	if family, _, ok := ParseBoardName(name); ok {
		return family
	}
	return name
}
