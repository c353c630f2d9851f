package dynamo

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// expression collects an update: what it sets, removes and adds to sets. Names and
// values stand in it as #0 and :0, since many names are reserved words.
type expression struct {
	names   map[string]string
	values  item
	sets    []string
	removes []string
	adds    []string
}

func newExpression() *expression {
	return &expression{names: map[string]string{}, values: item{}}
}

func (x *expression) name(attribute string) string {
	short := "#" + strconv.Itoa(len(x.names))
	x.names[short] = attribute
	return short
}

func (x *expression) value(v types.AttributeValue) string {
	short := ":" + strconv.Itoa(len(x.values))
	x.values[short] = v
	return short
}

func (x *expression) set(attribute string, v types.AttributeValue) {
	x.sets = append(x.sets, x.name(attribute)+" = "+x.value(v))
}

func (x *expression) remove(attribute string) {
	x.removes = append(x.removes, x.name(attribute))
}

func (x *expression) add(attribute string, v types.AttributeValue) {
	x.adds = append(x.adds, x.name(attribute)+" "+x.value(v))
}

func (x *expression) setOrRemove(attribute string, there bool, v func() types.AttributeValue) {
	if there {
		x.set(attribute, v())
	} else {
		x.remove(attribute)
	}
}

func (x *expression) String() string {
	var parts []string
	if len(x.sets) > 0 {
		parts = append(parts, "SET "+strings.Join(x.sets, ", "))
	}
	if len(x.removes) > 0 {
		parts = append(parts, "REMOVE "+strings.Join(x.removes, ", "))
	}
	if len(x.adds) > 0 {
		parts = append(parts, "ADD "+strings.Join(x.adds, ", "))
	}
	return strings.Join(parts, " ")
}

// versionIs is the condition under which a row may be replaced: the stored
// version is still so, 0 being none.
func (x *expression) versionIs(version int64) string {
	if version == 0 {
		return "attribute_not_exists(" + x.name(attrOwner) + ")"
	}
	name := x.name(attrVersion)
	is := name + " = " + x.value(integer(version))
	if version == unwritten { // one that another program made
		return is + " OR (attribute_exists(" + x.name(attrOwner) + ") AND attribute_not_exists(" + name + "))"
	}
	return is
}

// putRequest replaces all that is ours in a row: attributes of other programs stay,
// and so does an expiry where the board has none.
func (s *Store) putRequest(b store.Board, e store.Entry, t token) *dynamodb.UpdateItemInput {
	x := newExpression()
	condition := x.versionIs(e.Version)
	x.set(attrVersion, integer(e.Version+1))
	t.note(x, e.Version+1)
	shard := store.ShardOf(e.Owner, b.Shards)
	x.setOrRemove(attrPartition, !e.Hidden, func() types.AttributeValue { return text(b.Partition("", shard).HashKey()) })
	for _, c := range b.Columns {
		score, there := e.Scores[c.Name]
		x.setOrRemove(c.Name, there, func() types.AttributeValue { return number(store.FormatScore(score, c.Decimals)) })
	}
	x.setOrRemove(attrAttributes, len(e.Attributes) > 0, func() types.AttributeValue { return textMap(e.Attributes) })
	x.setOrRemove(attrPosts, len(e.Posts) > 0, func() types.AttributeValue { return textList(e.Posts) })
	x.setOrRemove(attrUpdated, !e.Updated.IsZero(), func() types.AttributeValue { return integer(e.Updated.UnixMilli()) })
	if !b.Expires.IsZero() {
		x.set(attrExpiry, integer(b.Expires.Unix()))
	}
	return &dynamodb.UpdateItemInput{
		TableName:                           &s.table,
		Key:                                 keyOf(e.Owner, b.Name),
		UpdateExpression:                    aws.String(x.String()),
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnConsumedCapacity:              types.ReturnConsumedCapacityIndexes,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}
