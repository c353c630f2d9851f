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
// Every write carries a random number of its own, kept beside the row. A request
// whose answer was lost is sent again, and that number tells its own earlier
// success from another writer's. Only where a third write came in between it
// cannot: then the answer is store.ErrConflict although the write was carried out
// and overwritten, and it takes a post id to count it once.
//
// Usage is what DynamoDB says it charged. A request that failed tells nothing: a
// write refused by its condition is counted at its price, one that was throttled
// or lost is counted as a request.
package dynamo
