// Package kriging tells how many entries of a whole board are better than a score
// when its shards were counted at different times: the best linear unbiased
// prediction from the last few counts of every shard, and its standard error.
//
// The model of one cutpoint, all in entries of one shard: shard k counted at time t
// has
//
//	y(k,t) = m(t) + d(k,t)
//
// better than the cutpoint. m is what the shards share: a line (bent as
// exponential growth bends it, where the board grows or shrinks), plus a walk whose
// level wanders (variance q per unit of time) and whose slope does (variance s).
// d is the shard's own deviation. The hash gives every owner a shard at random, so
// its variance is that of a Poisson count, the board's number over the shards; and
// two deviations of one shard covary by the entries that were better at both times:
//
//	cov(d(k,t), d(k,u)) = min(m(t), m(u)) exp(-l |t-u|)
//
// with l the rate at which entries cross the cutpoint both ways. (q, s, l) are not
// picked but averaged over a grid, each combination weighed by its restricted
// likelihood, so that the error states what is unknown of them too.
//
// Time runs faster for q and l while much happens on the board: an [Interval] has an
// activity, which is learnt from all cutpoints together. So an hour in which a tenth
// of the owners move is found by the first refresh behind it, and the quiet before
// and after it stays quiet.
//
// docs/estimation.md states the assumptions, and where each breaks.
package kriging
