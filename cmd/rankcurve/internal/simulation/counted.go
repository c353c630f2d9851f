package simulation

import "context"

// counted is what the exact numbers in the shards as they were walked say of some keys: the
// second way and the third.
type counted struct {
	shards []sightings
	fresh  []int // walked at this tick
	tick   int
}

// sightings are the two last walks of a shard, the newer one first.
type sightings [2]struct {
	tick int
	view view // nil: there was none
}

func newCounted(o Options) *counted { return &counted{shards: make([]sightings, o.Shards)} }

// saw notes which shards were walked at a tick.
func (c *counted) saw(shards []int, tick int, v view) {
	c.fresh, c.tick = shards, tick
	for _, shard := range shards {
		s := &c.shards[shard]
		s[1] = s[0]
		s[0].tick, s[0].view = tick, v
	}
}

// freshShards scales the shards of this tick up to all.
func (c *counted) freshShards(ctx context.Context, keys []int64) ([]float64, error) {
	sums := make([]float64, len(keys))
	for _, shard := range c.fresh {
		counts, err := c.shards[shard][0].view.counts(ctx, shard, keys)
		if err != nil {
			return nil, err
		}
		for i, n := range counts {
			sums[i] += float64(n) * float64(len(c.shards)) / float64(len(c.fresh))
		}
	}
	return sums, nil
}

// rollingSum adds the last counts of all shards, each carried on in a straight line.
func (c *counted) rollingSum(ctx context.Context, keys []int64) ([]float64, error) {
	sums := make([]float64, len(keys))
	for shard, s := range c.shards {
		last, err := s[0].view.counts(ctx, shard, keys)
		if err != nil {
			return nil, err
		}
		before, drift := last, 0.0
		if s[1].view != nil && c.tick > s[0].tick {
			drift = float64(c.tick-s[0].tick) / float64(s[0].tick-s[1].tick)
			if before, err = s[1].view.counts(ctx, shard, keys); err != nil {
				return nil, err
			}
		}
		for i, n := range last {
			sums[i] += float64(n) + drift*float64(n-before[i])
		}
	}
	return sums, nil
}
