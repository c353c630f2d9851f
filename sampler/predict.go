package sampler

import (
	"context"
	"math"

	"github.com/rankcurve/rankcurve/store"
)

// Prediction is what a walk would take.
type Prediction struct {
	Method    Method
	Entries   int64   // on the board, about
	Shards    int     // walked
	ReadUnits float64 // of the index
	Requests  int
	Probe     store.Usage // what the prediction itself read
}

// Predict tells what Walk would cost now. It counts one shard, a K-th of the
// price of a walk, because a board may have grown since the last one; nothing is
// written.
func (w *Walker) Predict(ctx context.Context, prior State) (Prediction, error) {
	rows, err := w.count(ctx, 0, bestKey, worstKey)
	if err != nil {
		return Prediction{}, err
	}
	shards := w.board.Shards
	p := Prediction{Entries: rows * int64(shards), Shards: shards, Probe: w.usage}
	bytes := w.usage.ReadUnits() * 2 * 4096 // of the shard, to half a block a page
	rowBytes := bytes / float64(max(1, rows))
	if w.rolls(prior) || w.options.Method != Scores && shards > 1 && !w.affordable(w.usage.ReadUnits()*float64(shards)) {
		cold := len(prior.History.usable(false, shards, w.options.AsOf).Sightings) == 0
		return w.predictRolling(p, rows, rowBytes, cold)
	}
	cold := w.options.Full || len(prior.Cutpoints) == 0
	if w.readsScores(p.Entries) || cold && shards == 1 {
		p.Method = Scores
		p.Requests = shards * w.usage.Requests
		p.ReadUnits = float64(shards) * w.usage.ReadUnits()
		return p, nil
	}
	p.Method = Counted
	w.endRows = w.endRowsOf(p.Entries)
	ends := min(p.Entries, int64(2*shards*store.ShardShare(w.endRows, shards)))
	others, intervals := shards, len(prior.Cutpoints)
	if cold { // the pilot's shard is read once, and whole
		others, intervals = shards-1, len(w.depths(float64(p.Entries)))
		p.ReadUnits, p.Requests = w.usage.ReadUnits(), w.usage.Requests
	}
	p.add(2*others, float64(ends)/float64(2*shards), rowBytes)
	p.add((intervals+1)*others, float64(p.Entries-ends)/float64((intervals+1)*shards), rowBytes)
	return p, nil
}

// predictRolling is what the head of every shard and the walks of a few take. What
// the shard took that was counted is what another takes.
func (w *Walker) predictRolling(p Prediction, rows int64, rowBytes float64, cold bool) (Prediction, error) {
	shards := w.board.Shards
	p.Method = Rolling
	limit := store.ShardShare(w.options.Head, shards)
	p.add(shards, min(float64(limit), float64(rows)), rowBytes)
	r := rolling{walker: w, order: make([]int, shards-1), units: max(w.usage.ReadUnits(), 0.5)}
	if r.choose(p.ReadUnits, cold) != nil {
		r.order = nil // one shard is over the budget, which the figures show
	}
	p.Shards = len(r.order) + 1
	p.ReadUnits += float64(p.Shards) * r.units
	if requests := w.usage.Requests; rows <= rowsUpTo {
		p.Requests += p.Shards * requests
	} else {
		intervals := len((rule{w.options.Fraction, float64(max(w.options.Head/2, 1))}).list(evenly(p.Entries)))
		p.Requests += requests + (p.Shards-1)*(intervals+1)
		p.ReadUnits += float64((p.Shards-1)*intervals) / 4 // half a block each
	}
	return p, nil
}

// evenly is the shape of a board on which every entry has a key of its own.
type evenly int64

func (n evenly) entries() float64           { return float64(n) }
func (n evenly) better(key int64) float64   { return float64(-key) }
func (n evenly) keyAt(better float64) int64 { return -int64(better) }

// add counts in so many reads of so many rows each. A read's last block is half
// full on average, and it takes a block at least.
func (p *Prediction) add(reads int, rows, rowBytes float64) {
	bytes := rows * rowBytes
	pages := max(1, math.Ceil(bytes/store.PageBytes))
	blocks := max(1, bytes/4096+0.5*pages)
	p.Requests += reads * int(pages)
	p.ReadUnits += float64(reads) * blocks / 2
}
