// Package rankcurve answers "what is my rank?" for leaderboards kept in DynamoDB
// or in one local file, without counting everyone above the player.
//
// A refresh samples the write-sharded partitions of a board and fits a score ->
// rank curve of a few kilobytes. An app server reads the curve once and answers
// in nanoseconds, from the player's score alone, with an error bar and an age.
// The top of a board is always exact.
//
// A rank is one plus the number of entries strictly better, so that equal scores
// share one ("1224"). A score is an int64 in units of 10^-decimals of its column:
// exact, summable, and without the trap at 2^53.
package rankcurve
