package plan

import (
	"math"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
)

// Cost is what one refresh takes.
type Cost struct {
	Method     sampler.Method
	Walked     int     // shards
	ReadUnits  float64 // of the index
	TableReads float64 // read units of the state in the table
	WriteUnits float64 // of the curve, the state and the lease in the table
	Requests   int     // of the walk
	Seconds    float64 // at the pace
}

// reads are requests for rows or for their number.
type reads struct {
	units    float64
	requests int
}

// add counts in so many requests for so many entries each. A page ends at 1 MB, a read's last
// block is half full on average, and it takes a block at least.
func (r *reads) add(requests int, entries, entryBytes float64) {
	bytes := entries * entryBytes
	pages := max(1, math.Ceil(bytes/store.PageBytes))
	blocks := max(1, bytes/blockBytes+0.5*pages)
	r.units += float64(requests) * blocks / 2
	r.requests += requests * int(pages)
}

const blockBytes = 4096

// Refresh is the cost of a refresh that walks so many of the shards, settled: not the
// first one.
func (b Board) Refresh(walked int) Cost {
	if walked >= b.Shards {
		return b.full()
	}
	return b.rolling(walked)
}

// full is a walk of every shard.
func (b Board) full() Cost {
	c := Cost{Method: sampler.Counted, Walked: b.Shards}
	var walk reads
	var lane float64
	intervals := 0
	if b.ReadsScores() {
		c.Method = sampler.Scores
		walk.add(b.Shards, b.perShard(), b.EntryBytes)
		lane = walk.units / float64(b.Shards) * math.Ceil(float64(b.Shards)/float64(b.parallel()))
	} else {
		ends := b.ends()
		intervals = b.intervals(ends)
		share := float64(store.ShardShare(int(ends), b.Shards))
		walk.add(2*b.Shards, share, b.EntryBytes)
		middle := max(0, b.perShard()-2*share)
		walk.add((intervals+1)*b.Shards, middle/float64(intervals+1), b.EntryBytes)
		lane = walk.units / float64(b.Shards)
	}
	c.ReadUnits, c.Requests = walk.units, walk.requests
	c.Seconds = b.seconds(lane, walk.requests)
	return b.kept(c, float64(intervals)*cutpointBytes)
}

// rolling is a walk of some shards, and of the best rows of all.
func (b Board) rolling(walked int) Cost {
	c := Cost{Method: sampler.Rolling, Walked: walked}
	head, one := b.headAndShard()
	intervals := b.intervals(float64(b.head()) / 2)
	rounds := 1 + math.Ceil(float64(walked-1)/float64(b.parallel()))
	walk := one
	if b.perShard() <= rowsUpTo {
		for range walked - 1 {
			walk.units, walk.requests = walk.units+one.units, walk.requests+one.requests
		}
	} else { // one shard after the other
		walk.add((walked-1)*(intervals+1), b.perShard()/float64(intervals+1), b.EntryBytes)
		rounds = float64(walked)
	}
	c.ReadUnits, c.Requests = head.units+walk.units, head.requests+walk.requests
	c.Seconds = b.seconds(head.units/float64(b.Shards)+rounds*one.units, c.Requests)
	return b.kept(c, b.historyBytes(intervals))
}

// headAndShard are the reads of the best rows of all shards, and of all rows of one.
func (b Board) headAndShard() (head, one reads) {
	head.add(b.Shards, min(b.perShard(), float64(store.ShardShare(b.head(), b.Shards))), b.EntryBytes)
	one.add(1, b.perShard(), b.EntryBytes)
	return head, one
}

// rowsUpTo is the largest shard that a rolling walk reads row by row, see sampler.
const rowsUpTo = 200_000

// ends is how many rows a counted walk reads at each end of the board: where a shard's
// part of an interval is a block and a half, counting costs no more than reading.
func (b Board) ends() float64 {
	worth := 1.5 * blockBytes / b.EntryBytes * float64(b.Shards) / b.fraction()
	return max(float64(b.head()), min(worth, float64(b.Entries)/6))
}

// intervals is how many there are between the cutpoints, which lie a fraction of the
// distance to the nearer end apart, from so many entries off either end.
func (b Board) intervals(from float64) int {
	n := float64(b.Entries)
	if from >= n/2 {
		return 1
	}
	return 1 + int(2*math.Log(n/2/from)/math.Log1p(b.fraction()))
}

// What is written at a refresh beside the state: a curve, and the lease, taken and given
// back.
const (
	cutpointBytes = 3 // in the state, as the gap to the next
	sightings     = 3 // kept of each shard
	leaseUnits    = 2
)

// historyBytes is what the counts of every shard's last walks take, as varints: two bytes
// from 128 entries on, and a tenth for what is beside them.
func (b Board) historyBytes(intervals int) float64 {
	n, from := float64(b.Entries), float64(b.head())/2
	bytes := 1.15
	for _, limit := range []float64{128, 128 * 128} {
		if at := max(from, limit*float64(b.Shards)/b.fraction()); at < n/2 {
			bytes += math.Log(n/2/at) / math.Log(n/2/from)
		}
	}
	return float64(sightings*b.Shards*(intervals+1)) * bytes
}

// kept adds what the table's own items take: the state is read, curve and state are
// written.
func (b Board) kept(c Cost, stateBytes float64) Cost {
	c.TableReads = store.ItemReadUnits(int(stateBytes), true)
	c.WriteUnits = math.Ceil(b.curveBytes()/1024) + math.Ceil(stateBytes/1024+0.1) + leaseUnits
	return c
}

func (b Board) curveBytes() float64 { return float64(orDefault(b.CurveBytes, predictor.DefaultBytes)) }
