// Package store holds what every backend shares: the words (boards, columns,
// entries, partitions), the interfaces, the errors, and the price list in
// DynamoDB's units.
//
// A backend is one technology in one folder: store/bolt keeps everything in one
// file. Each passes the suite of store/storetest, which has one subtest for
// every sentence of the contract written on the interfaces here.
//
// # Keys and scores
//
// A score is an int64 in units of 10^-decimals of its column. A key is the same
// number turned so that larger is better: the score itself on a "desc" column,
// its negation on an "asc" one. [Column.Key] and [Column.Score] are the only
// place where that turn is made; partitions, the sampler and the predictor speak
// in keys alone.
package store
