package rankcurve

import (
	"fmt"

	"github.com/rankcurve/rankcurve/store"
)

// Mode says how a rank is found.
type Mode string

// The modes. The zero value is Auto.
const (
	Estimate Mode = "estimate" // from the curve: no index read, an error bar and an age
	Exact    Mode = "exact"    // counted over all shards, within the read budget
	Auto     Mode = "auto"     // exact near the top, estimated below
)

// ParseMode reads a mode's name; another is [store.ErrInvalid].
func ParseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case Estimate, Exact, Auto:
		return m, nil
	}
	return "", fmt.Errorf("mode %q is none of estimate, exact, auto: %w", name, store.ErrInvalid)
}
