// Package sampler reads what a curve is built from: it walks the partitions of
// one column of a board and returns points, places in the ranking that are known
// exactly.
//
// There are two ways to walk. Both cost the same read units, for a COUNT is
// billed by the rows it passes:
//
//   - scores: every row's key is read. The points are all there is to know and the
//     curve has no error but its fit's. It moves every row over the wire and holds
//     8 bytes of each in memory, so it is for the embedded store and for small
//     boards.
//   - counted: the keys are cut at cutpoints that all shards share, and each shard
//     is asked how many rows lie between two neighbours. The sums over the shards
//     are exact at every cutpoint; where inside an interval a row lies stays
//     unknown, so the intervals are a fixed part of the distance to the nearer end
//     of the board. Two numbers an interval cross the wire, at any board size.
//
// Where the cutpoints go is decided by a pilot: one shard, which by the hash is a
// uniform sample of the board, is read whole. Later walks use the cutpoints of the
// one before, split where an interval has grown too heavy and merged where two
// have grown too light. The best and the worst rows are read in every walk, so
// that both ends of the curve are exact.
//
// A walk that takes long hands out checkpoints of what it has finished. One that goes on
// from such a checkpoint counts what is missing, at the same cutpoints.
//
// Options.Method Auto reads scores up to Options.ScoresUpTo entries and counts
// beyond.
package sampler
