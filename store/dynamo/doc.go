// Package dynamo keeps boards in one DynamoDB table, to the schema of
// docs/schema.md, so that any SDK and the AWS command line can read and write
// the same rows.
//
// A row is one item, changed by one conditional UpdateItem: it is never stored by
// half. Its index entries follow a moment later, so that Rows and Count may not
// show a write that has just been acknowledged, and a row that moves past others
// meanwhile may be seen at both of its places or at neither. EntriesOf is
// eventually consistent too; Entry is not.
//
// Every write carries a random number of its own, and a row keeps those of its last 16
// to 32 writes. A request whose answer was lost is sent again, and that number tells its
// own earlier success from another writer's, also when others have written over it.
// Writes of one row go through a [Store] one after the other, each with all its attempts,
// so that only the writes of other processes can come in between. Where these are so many
// that the row has forgotten, the error is store.ErrConflict and store.ErrUnknown: the
// write may have been carried out, and it takes a post id to find it. One that is
// store.ErrConflict alone was not. So use one Store of a table in a process.
//
// Usage is what DynamoDB says it charged. A request that failed tells nothing: a
// write refused by its condition is counted at its price, one that was throttled
// or lost is counted as a request.
package dynamo
