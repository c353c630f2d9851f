// Package plan works out, before a board is made, what it will take: how many shards,
// how many rows of each make the exact top, what a refresh costs and how far off its
// ranks will be. It is arithmetic alone: it reads no store and knows no prices but those
// it is given.
//
// # What is assumed
//
// Costs. An index entry has the same size everywhere, and the hash deals entries out
// evenly. A refresh runs to its end, without throttles, and every answer comes within
// [Latency]. A read of an index is half a unit for each 4 KB begun, as the store prices it
// (store.IndexReadUnits).
//
// Errors. They are of the rank at one moment, in standard deviations of a normal error;
// a typical error is its median, and 95 of 100 are within 1.96 deviations.
//
//   - Between two cutpoints the curve is a straight line. Of the L entries there, a part
//     x is expected above a score and the number that is there varies binomially, so that
//     the line is off by sqrt(L x (1-x)), which is sqrt(L/6) on average over x (root mean
//     square). L is a fraction of the distance to the nearer end of the board. To that
//     comes the bend of a lognormal board's own curve between the cutpoints.
//   - Entries cross a score one by one, independently of each other, so that their number
//     in any time is Poisson (see [Board.Crossings], which assumes a lognormal board).
//     A shard that was seen j refreshes ago has since been left and entered by a K-th of
//     j refreshes' crossings, and has forgotten all about itself once its B/K entries
//     above the score are others (see [Board.Carried]).
//   - What all shards do together, the drift, is the same in every refresh for as long as
//     two rotations. It is learnt from the shards that were walked again. A board whose
//     activity doubles in the evening is forecast a bit worse, and one with bursts much
//     worse for as long as the burst is not seen.
//   - Changes are spread evenly over the interval, and it is always peak: at other hours
//     the errors are smaller.
//   - All of it holds once every shard was walked twice: after two rotations.
//
// Boards with many equal scores have smaller errors than this, for an atom is counted as
// such.
//
// The tests of this package hold costs and errors against refreshes: of the embedded
// store, of DynamoDB and of simulated churn.
package plan
