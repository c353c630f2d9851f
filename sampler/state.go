package sampler

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/rankcurve/rankcurve/sampler/internal/statepb"
	"github.com/rankcurve/rankcurve/store"
)

// State is what one walk leaves for the next. The zero State is a cold start.
type State struct {
	Entries   int64   // on the board
	Units     float64 // read units that the walk took
	Cutpoints []int64 // of a walk that counted every shard: keys, best first
	History   History // of the walks before
}

const stateFormat = 1

// Encode writes the state for the store.
func (s State) Encode() ([]byte, error) {
	m := &statepb.State{Format: stateFormat, Entries: s.Entries, Units: s.Units, Cut: len(s.Cutpoints) > 0, History: encodeHistory(s.History)}
	m.BestCutpoint, m.Gaps = encodeKeys(s.Cutpoints)
	data, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode walk state: %w", err)
	}
	return data, nil
}

// DecodeState reads what Encode wrote. The error wraps store.ErrCorrupt; a caller
// may go on with the zero State, which costs one pilot.
func DecodeState(data []byte) (State, error) {
	var m statepb.State
	if err := proto.Unmarshal(data, &m); err != nil {
		return State{}, fmt.Errorf("decode walk state: %w: %w", err, store.ErrCorrupt)
	}
	if m.Format != stateFormat {
		return State{}, fmt.Errorf("decode walk state: format %d, this program reads %d: %w", m.Format, stateFormat, store.ErrCorrupt)
	}
	s := State{Entries: m.Entries, Units: m.Units}
	var err error
	if m.Cut {
		if s.Cutpoints, err = decodeKeys(m.BestCutpoint, m.Gaps); err != nil {
			return State{}, err
		}
	}
	if m.History != nil {
		if s.History, err = decodeHistory(m.History); err != nil {
			return State{}, err
		}
	}
	return s, nil
}

func encodeKeys(keys []int64) (best int64, gaps []uint64) {
	for i, key := range keys {
		if i == 0 {
			best = key
			continue
		}
		gaps = append(gaps, uint64(keys[i-1]-key))
	}
	return best, gaps
}

func decodeKeys(key int64, gaps []uint64) ([]int64, error) {
	keys := []int64{key}
	for _, gap := range gaps {
		if key > bestKey || gap == 0 || gap > uint64(key-worstKey) {
			return nil, fmt.Errorf("decode walk state: cutpoints are not in order: %w", store.ErrCorrupt)
		}
		key -= int64(gap)
		keys = append(keys, key)
	}
	return keys, nil
}
