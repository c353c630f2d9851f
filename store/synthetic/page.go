package synthetic

import (
	"fmt"
	"math"

	"github.com/rankcurve/rankcurve/store"
)

// A page is the rows of one answer: those at the places from..to-1, from the best
// or in reverse.
type page struct {
	partition
	from, to int64
	reverse  bool
	more     bool // the selection goes on behind it
	bytes    int
}

func (p page) rows() int64 { return p.to - p.from }

func (p page) usage() store.Usage {
	return store.Usage{IndexReads: store.IndexReadUnits(p.bytes), Requests: 1}
}

// last is where the page ends, if there is more.
func (p page) last() *store.Position {
	if !p.more {
		return nil
	}
	place := p.to - 1
	if p.reverse {
		place = p.from
	}
	return &store.Position{Key: p.key(place), Owner: p.owner(place).String()}
}

// page selects the rows of a query's answer.
func (m *moment) page(q store.Query) (page, error) {
	if q.From < q.To || q.Limit < 0 {
		return page{}, fmt.Errorf("read partition %s from key %d to %d, limit %d: %w", q.Partition, q.From, q.To, q.Limit, store.ErrInvalid)
	}
	number, shard := m.columnNumber(q.Partition.Column), q.Partition.Shard
	if q.Partition.Board != m.definition.Name || number < 0 || shard < 0 || shard >= m.definition.Shards {
		return page{}, nil
	}
	p := page{partition: m.partition(number, shard), reverse: q.Reverse}
	p.from, p.to = p.better(q.From), p.atLeast(q.To)
	if q.After != nil {
		behind, err := p.behind(*q.After, q.Reverse)
		switch {
		case err != nil:
			return page{}, fmt.Errorf("read partition %s: %w", q.Partition, err)
		case q.Reverse:
			p.to = min(p.to, p.size()-behind)
		default:
			p.from = max(p.from, behind)
		}
	}
	p.to = max(p.from, p.to)
	p.cut(q)
	return p, nil
}

// cut ends the page where its limit or its bytes do. Rows whose keys are numbers
// of the same size are taken together.
func (p *page) cut(q store.Query) {
	left, limit := p.rows(), int64(math.MaxInt64)
	if q.Limit > 0 {
		limit = int64(q.Limit)
	}
	base := store.IndexEntryBase(q.Partition) + ownerBytes
	var taken int64
	for taken < left && taken < limit {
		number, alike := p.alike(q, taken)
		size := base + number
		take := min(alike, left-taken, limit-taken, int64((store.PageBytes-p.bytes)/size))
		taken += take
		p.bytes += int(take) * size
		if take < alike {
			break
		}
	}
	p.more = taken < left
	if p.reverse {
		p.from = p.to - taken
	} else {
		p.to = p.from + taken
	}
}

// alike is the size of the number at the page's row after so many, and how many rows
// from there on have the same.
func (p *page) alike(q store.Query, taken int64) (size int, rows int64) {
	size = store.NumberSize(q.From)
	if (q.From < 0) == (q.To < 0) && size == store.NumberSize(q.To) {
		return size, p.rows() - taken
	}
	if p.reverse {
		place := p.to - 1 - taken
		key := p.key(place)
		best, _ := sameSize(key)
		return store.NumberSize(key), place + 1 - p.better(best)
	}
	place := p.from + taken
	key := p.key(place)
	_, worst := sameSize(key)
	return store.NumberSize(key), p.atLeast(worst) - place
}

// sameSize is the range of keys around one that are numbers of the same size. The
// size of a number grows with its distance from 0.
func sameSize(key int64) (best, worst int64) {
	sign := int64(1)
	if key < 0 {
		sign = -1
	}
	size := store.NumberSize(key)
	edge := func(near, far int64, inside func(size int) bool) int64 { // the farthest inside
		for near < far {
			middle := near + (far-near+1)/2
			if inside(store.NumberSize(sign * middle)) {
				near = middle
			} else {
				far = middle - 1
			}
		}
		return near
	}
	smallest := int64(0)
	if sign < 0 {
		smallest = 1
	}
	far := edge(smallest, store.MaxScore, func(s int) bool { return s <= size })
	near := smallest
	if store.NumberSize(sign*smallest) < size {
		near = edge(smallest, store.MaxScore, func(s int) bool { return s < size }) + 1
	}
	return max(sign*near, sign*far), min(sign*near, sign*far)
}
