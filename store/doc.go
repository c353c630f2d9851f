// Package store holds what every backend shares: the words (boards, columns,
// entries, partitions), the interfaces, the errors, and the price list in
// DynamoDB's units.
//
// A backend is one technology in one folder: store/bolt keeps everything in one
// file, store/dynamo in one DynamoDB table. Each passes the suite of
// store/storetest, which has one subtest for every sentence of the contract
// written on the interfaces here.
//
// # Consistency
//
// Entry, Board, Boards, Curve, State and the leases see every write that was
// acknowledged before. EntriesOf, Rows and Count may be behind on a backend whose
// reads are eventually consistent. There a row that is moving may also be seen at
// both of its places in one answer of a partition, or at neither; all other rows
// are seen once. On store/bolt every answer is one snapshot, and nothing is behind.
//
// # Keys and scores
//
// A score is an int64 in units of 10^-decimals of its column. A key is the same
// number turned so that larger is better: the score itself on a "desc" column,
// its negation on an "asc" one. [Column.Key] and [Column.Score] are the only
// place where that turn is made; partitions, the sampler and the predictor speak
// in keys alone.
package store
