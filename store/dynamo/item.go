package dynamo

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/rankcurve/rankcurve/store"
)

// unwritten is the version of an item that has none, because another program
// made it.
const unwritten = 1

// decodeEntry reads a row that another program may have written. Attributes that
// are none of ours are passed by. The error is [store.ErrCorrupt] and names
// owner, board and attribute, and what to run in that table.
func decodeEntry(table string, b store.Board, owner string, i item) (store.Entry, error) {
	e := store.Entry{Owner: owner, Version: unwritten}
	fault := func(name string, err error) (store.Entry, error) {
		return store.Entry{}, fmt.Errorf("decode owner %q on board %q: attribute %s %w: %w; %s",
			owner, b.Name, name, err, store.ErrCorrupt, remedy(table, b.Name, owner, name))
	}
	for _, c := range b.Columns {
		value, there := i[c.Name]
		if !there {
			continue
		}
		score, err := scoreOf(value, c)
		if err != nil {
			return fault(c.Name, err)
		}
		if e.Scores == nil {
			e.Scores = make(map[string]int64, len(b.Columns))
		}
		e.Scores[c.Name] = score
	}
	var err error
	if e.Attributes, err = attributesOf(i[attrAttributes]); err != nil {
		return fault(attrAttributes, err)
	}
	if e.Posts, err = postsOf(i[attrPosts]); err != nil {
		return fault(attrPosts, err)
	}
	if value, there := i[attrVersion]; there {
		if e.Version, err = integerOf(value); err == nil && e.Version < 1 {
			err = fmt.Errorf("is %d", e.Version)
		}
		if err != nil {
			return fault(attrVersion, err)
		}
	}
	if value, there := i[attrUpdated]; there {
		ms, err := integerOf(value)
		if err != nil {
			return fault(attrUpdated, err)
		}
		e.Updated = fromMillis(ms)
	}
	_, ranked := i[attrPartition]
	e.Hidden = !ranked
	return e, nil
}

func scoreOf(value types.AttributeValue, c store.Column) (int64, error) {
	n, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return 0, fmt.Errorf("is of type %s and not N", typeOf(value))
	}
	units, err := parseUnits(n.Value, c.Decimals)
	if err != nil {
		return 0, fmt.Errorf("cannot be a score: %w", err)
	}
	return units, nil
}

// floorOf is the last score up to what lies between two.
func floorOf(value types.AttributeValue, c store.Column) (int64, error) {
	n, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return 0, fmt.Errorf("is of type %s and not N", typeOf(value))
	}
	return floorUnits(n.Value, c.Decimals)
}

func integerOf(value types.AttributeValue) (int64, error) {
	n, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return 0, fmt.Errorf("is of type %s and not N", typeOf(value))
	}
	i, err := parseInteger(n.Value)
	if err != nil {
		return 0, fmt.Errorf("is wrong: %w", err)
	}
	return i, nil
}

// attributesOf reads a map of texts. Numbers and truth values are read as texts.
func attributesOf(value types.AttributeValue) (map[string]string, error) {
	if value == nil {
		return nil, nil
	}
	m, ok := value.(*types.AttributeValueMemberM)
	if !ok {
		return nil, fmt.Errorf("is of type %s and not M", typeOf(value))
	}
	attributes := make(map[string]string, len(m.Value))
	for name, value := range m.Value {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			attributes[name] = v.Value
		case *types.AttributeValueMemberN:
			attributes[name] = v.Value
		case *types.AttributeValueMemberBOOL:
			attributes[name] = strconv.FormatBool(v.Value)
		default:
			return nil, fmt.Errorf("has %q of type %s and not S", name, typeOf(value))
		}
	}
	return attributes, nil
}

func postsOf(value types.AttributeValue) ([]string, error) {
	if value == nil {
		return nil, nil
	}
	l, ok := value.(*types.AttributeValueMemberL)
	if !ok {
		return nil, fmt.Errorf("is of type %s and not L", typeOf(value))
	}
	posts := make([]string, len(l.Value))
	for i, post := range l.Value {
		s, ok := post.(*types.AttributeValueMemberS)
		if !ok {
			return nil, fmt.Errorf("has a %s and not S", typeOf(post))
		}
		posts[i] = s.Value
	}
	return posts, nil
}

func typeOf(value types.AttributeValue) string {
	switch value.(type) {
	case *types.AttributeValueMemberS:
		return "S"
	case *types.AttributeValueMemberN:
		return "N"
	case *types.AttributeValueMemberB:
		return "B"
	case *types.AttributeValueMemberM:
		return "M"
	case *types.AttributeValueMemberL:
		return "L"
	case *types.AttributeValueMemberBOOL:
		return "BOOL"
	case *types.AttributeValueMemberNULL:
		return "NULL"
	}
	return "SS, NS or BS"
}

func textMap(attributes map[string]string) types.AttributeValue {
	m := make(item, len(attributes))
	for name, value := range attributes {
		m[name] = text(value)
	}
	return &types.AttributeValueMemberM{Value: m}
}

func textList(posts []string) types.AttributeValue {
	l := make([]types.AttributeValue, len(posts))
	for i, post := range posts {
		l[i] = text(post)
	}
	return &types.AttributeValueMemberL{Value: l}
}

func integer(i int64) types.AttributeValue { return number(strconv.FormatInt(i, 10)) }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
