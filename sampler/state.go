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
	Cutpoints []int64 // keys, best first
}

const stateFormat = 1

// Encode writes the state for the store.
func (s State) Encode() ([]byte, error) {
	m := &statepb.State{Format: stateFormat, Entries: s.Entries, Cut: len(s.Cutpoints) > 0}
	for i, key := range s.Cutpoints {
		if i == 0 {
			m.BestCutpoint = key
			continue
		}
		m.Gaps = append(m.Gaps, uint64(s.Cutpoints[i-1]-key))
	}
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
	s := State{Entries: m.Entries}
	if !m.Cut {
		return s, nil
	}
	key := m.BestCutpoint
	s.Cutpoints = append(s.Cutpoints, key)
	for _, gap := range m.Gaps {
		if key > bestKey || gap == 0 || gap > uint64(key-worstKey) {
			return State{}, fmt.Errorf("decode walk state: cutpoints are not in order: %w", store.ErrCorrupt)
		}
		key -= int64(gap)
		s.Cutpoints = append(s.Cutpoints, key)
	}
	return s, nil
}
