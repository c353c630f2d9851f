package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// readUsage is what a read was charged.
func readUsage(c *types.ConsumedCapacity, n sent) store.Usage {
	table, indexes := units(c)
	return store.Usage{TableReads: table, IndexReads: indexes, Requests: n.requests}
}

// writeUsage is what a write was charged.
func writeUsage(c *types.ConsumedCapacity, n sent) store.Usage {
	table, indexes := units(c)
	return store.Usage{TableWrites: table, IndexWrites: indexes, Requests: n.requests}
}

func units(c *types.ConsumedCapacity) (table, indexes float64) {
	if c == nil {
		return 0, 0
	}
	for _, index := range c.GlobalSecondaryIndexes {
		indexes += deref(index.CapacityUnits)
	}
	if c.Table != nil {
		return deref(c.Table.CapacityUnits), indexes
	}
	return deref(c.CapacityUnits) - indexes, indexes
}

// refusedUsage is what a write is charged that its condition has refused: the
// price of the item that is there, of which DynamoDB tells nothing.
func refusedUsage(there item, n sent) store.Usage {
	return store.Usage{TableWrites: store.ItemWriteUnits(sizeOf(there)), Requests: n.requests}
}

// sizeOf is about the size of an item in bytes.
func sizeOf(i item) (size int) {
	for name, value := range i {
		size += len(name) + sizeOfValue(value)
	}
	return size
}

func sizeOfValue(v types.AttributeValue) (size int) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return len(v.Value)/2 + 1
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberM:
		return 3 + len(v.Value) + sizeOf(v.Value)
	case *types.AttributeValueMemberL:
		for _, inner := range v.Value {
			size += 1 + sizeOfValue(inner)
		}
		return 3 + size
	}
	return 1
}
