// Package bolt keeps boards in one file, with go.etcd.io/bbolt: no server, no
// account, and one process at a time.
//
// A row's index entries change in the transaction of the row itself, so that
// index reads are exact here, not eventually consistent. Every read is one
// snapshot. A write returns after it is on disk; writes that wait at the same
// time share one transaction and one fsync. Usage is counted as DynamoDB would.
package bolt
