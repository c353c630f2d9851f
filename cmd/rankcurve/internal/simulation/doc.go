// Package simulation lets a board churn for days, tick by tick, and measures at each tick
// how far four ways to answer ranks are from the truth, which it counts. All four may
// read as much:
//
//   - a walk of the whole board, but only as often as that costs no more, whose curve
//     stands as it is until the next;
//   - the few shards that a rolling refresh walks at this tick, scaled up to all;
//   - the last count of each shard, carried on in a straight line through its last two;
//   - the curve that a rolling refresh publishes.
//
// The first and the last are what jobs.Refresher makes from a store. The two between need
// no curve: they are told the exact numbers in each shard at the scores that are asked for,
// and so are a little better than anything that could be built of them.
package simulation
