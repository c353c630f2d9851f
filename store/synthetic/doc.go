// Package synthetic is a store of one board whose entries nobody holds: up to
// [MaxEntries] of them in up to [store.MaxShards] shards are computed from a
// seed as they are asked for. It is the way to run a refresh at a scale that no
// machine here holds, and to know the truth beside it ([Store.Better]).
//
// Reading the indexes costs the read units that the same rows would cost in any
// other store, page by page. Time and memory do not grow with the board: a Count
// takes some descents of about 2*log2(entries) steps at most, and a store holds the
// table of each column's distribution (110 KB) and two numbers for each shard.
//
// # What is modelled
//
// A board at one tick. Each shard is a uniform random sample of the board, as hash
// shards are: the numbers of entries of the shards are multinomial, and so are, in
// each shard, the numbers in any ranges of scores. They come from a binary tree
// over the quantiles 0 (best) to 1 of the distribution: a node's entries go left
// with probability 1/2 each, drawn by a counter-based generator from seed, column,
// shard and node, so that every query that passes a node sees the same. A draw is
// exactly binomial up to 64 entries; beyond, it is the normal distribution's
// quantile with corrections for kurtosis and lattice, whose distribution function
// is off by less than 1e-5. Nodes of 8 entries or fewer draw each one's place.
//
// What all shards share over time: every score is multiplied by exp(Gain*t) and
// moved by Shift*t; a column's atom stays where it is, and Newcomers come
// at a constant rate, each into a shard at random, to stay on the worst score.
// These have no effect on which entries a shard has: its entries keep their quantiles.
//
// What is a shard's own: how far it deviates from its part of the board. With
// Rescored = r each entry's score is drawn anew at rate r, in its shard; with Replaced
// = p entries leave at rate p, and others come, in any shard. Of the first, a shard's
// deviation at a quantile u, given its size, has the correlation exp(-r*dt) between
// two times dt apart; of both, exp(-(r+p)*dt); and its size has exp(-p*dt). So the
// deviation of the number better than a quantile u of large shards is a stationary
// Gaussian process with variance n*u at all times, and the correlation
//
//	(1-u) * exp(-(r+p)*dt) + u * exp(-p*dt)
//
// (n: entries of a shard on average; of many shards). Each node's draw is the
// quantile of an Ornstein-Uhlenbeck process of its own, in steps of 1/64 tick. Numbers of a
// few entries have the same distribution at each time, with a correlation a little
// smaller. It is the numbers that are modelled: an owner keeps its place among the
// owners of its shard, and moves with that place. Columns are independent of each
// other.
//
// # Owners
//
// An owner's name tells its shard and its number there: p0a-0000000042 is on shard
// 10 from the start, n0a-0000000042 is a newcomer. All have 14 bytes.
// [store.ShardOf] would put them elsewhere, which matters to writes alone, and a
// synthetic board refuses them.
package synthetic
