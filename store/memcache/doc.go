// Package memcache keeps published curves in memcached, in front of the store
// that has the durable copy.
//
// # What is there
//
// One key for each (table, board, column) and board's ID, [Key], whose value is the published
// curve's very bytes, as docs/curve-format.md describes them: an app server in any
// language reads it with one get. The generation is not stored beside them; it is
// read from the bytes, whose checksum and names are checked on the way, so that a
// damaged or foreign value is never served.
//
// # What it promises
//
// The store is the truth and memcached a copy that may vanish at any time. A curve
// that is missing, damaged, older than one this process has published, or behind a
// server that does not answer is read from the store, by one caller for all who
// ask at that time, and put back. An older generation never replaces a newer one:
// every write is an add or a compare-and-swap. A fault of memcached makes no call
// fail; it is told to [OnFault].
//
// A board that is made anew under its old name, or in another region, has another
// ID, and so a key of its own: what the old one left is never asked for again. Only
// a table that was replaced by an older copy of itself has the same boards, of which
// memcached may hold a generation that the table has yet to reach. It is served until
// then: flush memcached after such a change.
package memcache
