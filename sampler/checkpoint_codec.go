package sampler

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/rankcurve/rankcurve/sampler/internal/statepb"
	"github.com/rankcurve/rankcurve/store"
)

const checkpointFormat = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode writes the checkpoint for the store: about two bytes for each count.
func (c Checkpoint) Encode() ([]byte, error) {
	m := &statepb.Checkpoint{
		Format: checkpointFormat, Generation: c.Generation, SavedMs: c.Saved.UnixMilli(), AsOfMs: c.AsOf.UnixMilli(),
		Board: c.board, Shards: uint32(c.shards), Terms: c.terms, Units: c.Units,
	}
	m.BestCutpoint, m.Gaps = encodeKeys(c.keys)
	if c.counts != nil {
		m.Counting = encodeCounts(*c.counts)
	}
	if c.rolled != nil {
		m.Rolling = encodeRolled(*c.rolled)
	}
	inner, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint: %w", err)
	}
	data, err := proto.Marshal(&statepb.SealedCheckpoint{Crc32C: crc32.Checksum(inner, castagnoli), Checkpoint: inner})
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint: %w", err)
	}
	return data, nil
}

// DecodeCheckpoint reads what Encode wrote. The error wraps store.ErrCorrupt; a caller
// may go on without, which costs what the walk that died had walked.
func DecodeCheckpoint(data []byte) (Checkpoint, error) {
	var sealed statepb.SealedCheckpoint
	if err := proto.Unmarshal(data, &sealed); err != nil {
		return Checkpoint{}, corrupt("%w", err)
	}
	if sum := crc32.Checksum(sealed.Checkpoint, castagnoli); sum != sealed.Crc32C {
		return Checkpoint{}, corrupt("checksum is %08x, and was %08x", sum, sealed.Crc32C)
	}
	var m statepb.Checkpoint
	if err := proto.Unmarshal(sealed.Checkpoint, &m); err != nil {
		return Checkpoint{}, corrupt("%w", err)
	}
	if m.Format != checkpointFormat {
		return Checkpoint{}, corrupt("format %d, this program reads %d", m.Format, checkpointFormat)
	}
	if m.Shards < 1 || m.Shards > store.MaxShards || !(m.Units >= 0 && m.Units < mostEntries) || (m.Counting == nil) == (m.Rolling == nil) {
		return Checkpoint{}, corrupt("of %d shards and %g read units, counting %t, rolling %t", m.Shards, m.Units, m.Counting != nil, m.Rolling != nil)
	}
	keys, err := decodeKeys(m.BestCutpoint, m.Gaps)
	if err != nil {
		return Checkpoint{}, err
	}
	c := Checkpoint{
		Generation: m.Generation, Saved: time.UnixMilli(m.SavedMs).UTC(), AsOf: time.UnixMilli(m.AsOfMs).UTC(), Units: m.Units,
		board: m.Board, shards: int(m.Shards), terms: m.Terms, keys: keys,
	}
	if m.Counting != nil {
		c.counts, err = decodeCounts(m.Counting, c.shards)
	} else {
		c.rolled, err = decodeRolled(m.Rolling, c)
	}
	if err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("decode checkpoint: %w: %w", fmt.Errorf(format, args...), store.ErrCorrupt)
}

func encodeCounts(c countedPart) *statepb.Counting {
	spans := make([]span, 0, len(c.spans))
	for s := range c.spans {
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(b.from, a.from), cmp.Compare(b.to, a.to)) })
	m := &statepb.Counting{EndRows: uint64(c.endRows)}
	before := bestKey
	for _, s := range spans {
		p := &statepb.Span{Fall: uint64(before - s.from), Width: uint64(s.from - s.to)}
		for _, entries := range c.spans[s] {
			p.Entries = append(p.Entries, uint64(entries+1)) // notCounted is 0
		}
		m.Spans = append(m.Spans, p)
		before = s.from
	}
	return m
}

func decodeCounts(m *statepb.Counting, shards int) (*countedPart, error) {
	if m.EndRows > mostEntries {
		return nil, corrupt("%d rows at each end", m.EndRows)
	}
	c := &countedPart{endRows: int(m.EndRows), spans: map[span][]int64{}}
	from := bestKey
	for _, p := range m.Spans {
		if p.Fall > uint64(from-worstKey) || p.Width > uint64(from-int64(p.Fall)-worstKey) || len(p.Entries) != shards {
			return nil, corrupt("a span of %d keys, %d below %d, with counts of %d shards of %d", p.Width, p.Fall, from, len(p.Entries), shards)
		}
		from -= int64(p.Fall)
		entries := make([]int64, shards)
		for shard, n := range p.Entries {
			if n > mostEntries {
				return nil, corrupt("%d entries in shard %d", n, shard)
			}
			entries[shard] = int64(n) - 1
		}
		c.spans[span{from, from - int64(p.Width)}] = entries
	}
	return c, nil
}

func encodeRolled(r rolledPart) *statepb.Rolling {
	m := &statepb.Rolling{Worst: r.worst, ShardUnits: r.units, ShardRows: uint64(r.rows)}
	for i, part := range r.parts {
		if part != 1 {
			m.Moved, m.Parts = append(m.Moved, uint32(i)), append(m.Parts, part)
		}
	}
	for _, s := range r.seen {
		m.Seen = append(m.Seen, encodeSighting(s))
	}
	for _, shard := range r.left {
		m.Left = append(m.Left, uint32(shard))
	}
	return m
}

func decodeRolled(m *statepb.Rolling, c Checkpoint) (*rolledPart, error) {
	if len(m.Seen) == 0 || m.ShardRows > mostEntries || m.Worst < worstKey || m.Worst > bestKey || !(m.ShardUnits > 0) || len(m.Moved) != len(m.Parts) {
		return nil, corrupt("%d shards done, of %d rows and %g read units, down to %d; %d cutpoints moved by %d parts",
			len(m.Seen), m.ShardRows, m.ShardUnits, m.Worst, len(m.Moved), len(m.Parts))
	}
	r := &rolledPart{parts: slices.Repeat([]float64{1}, len(c.keys)), worst: m.Worst, units: m.ShardUnits, rows: int(m.ShardRows)}
	for i, at := range m.Moved {
		if int(at) >= len(c.keys) || !(m.Parts[i] >= 0 && m.Parts[i] <= 1) {
			return nil, corrupt("part %g of cutpoint %d of %d", m.Parts[i], at, len(c.keys))
		}
		r.parts[at] = m.Parts[i]
	}
	return r, r.decodeShards(m, c)
}

// decodeShards takes those that are done and those that are left, each once.
func (r *rolledPart) decodeShards(m *statepb.Rolling, c Checkpoint) error {
	once := map[int]bool{}
	for _, p := range m.Seen {
		s, err := decodeSighting(p, len(c.keys), c.shards)
		if err != nil {
			return err
		}
		if s.At.After(c.AsOf) || once[s.Shard] {
			return corrupt("shard %d, done at %v, twice or after %v", s.Shard, s.At, c.AsOf)
		}
		once[s.Shard] = true
		r.seen = append(r.seen, s)
	}
	for _, shard := range m.Left {
		if int(shard) >= c.shards || once[int(shard)] {
			return corrupt("shard %d of %d is left, twice or after it was done", shard, c.shards)
		}
		once[int(shard)] = true
		r.left = append(r.left, int(shard))
	}
	return nil
}
