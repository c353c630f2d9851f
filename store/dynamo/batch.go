package dynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/rankcurve/rankcurve/store"
)

// batchRows is the most items that a BatchGetItem may ask for, batchReaders how
// many of them are under way at once in one call.
const (
	batchRows    = 100
	batchReaders = 8
)

// EntriesOf implements [store.Entries]. Eventually consistent.
func (s *Store) EntriesOf(ctx context.Context, b store.Board, owners []string) ([]store.Entry, store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return nil, store.Usage{}, err
	}
	defer s.work.Done()
	r, u, err := s.rowsOf(ctx, b, owners)
	if err != nil {
		return nil, u, err
	}
	entries := make([]store.Entry, len(owners))
	for i, owner := range owners {
		entries[i] = r.entries[owner].Clone() // one named twice is answered twice
		entries[i].Owner = owner
	}
	return entries, u, store.Unreadable(r.unreadable)
}

// rows are those that are there, by owner, and why some of them cannot be read.
type rows struct {
	entries    map[string]store.Entry
	unreadable map[string]error
}

func newRows(n int) rows {
	return rows{entries: make(map[string]store.Entry, n), unreadable: map[string]error{}}
}

func (r rows) add(other rows) {
	maps.Copy(r.entries, other.entries)
	maps.Copy(r.unreadable, other.unreadable)
}

// rowsOf reads the rows of any number of owners.
func (s *Store) rowsOf(ctx context.Context, b store.Board, owners []string) (rows, store.Usage, error) {
	var mu sync.Mutex
	var u store.Usage
	all := newRows(len(owners))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(batchReaders)
	for chunk := range slices.Chunk(askable(owners), batchRows) {
		group.Go(func() error {
			some, used, err := s.batch(ctx, b, chunk, false)
			mu.Lock()
			defer mu.Unlock()
			u.Add(used)
			all.add(some)
			return err
		})
	}
	err := group.Wait()
	return all, u, err
}

// askable are the owners without repetitions, which a batch refuses, and without
// those whom no row can have.
func askable(owners []string) []string {
	once := make([]string, 0, len(owners))
	seen := make(map[string]bool, len(owners))
	for _, owner := range owners {
		if !seen[owner] && store.ValidateOwner(owner) == nil {
			once = append(once, owner)
		}
		seen[owner] = true
	}
	return once
}

// batch reads up to batchRows different rows. What the answer leaves out, for its
// size or because the partition is busy, is asked for again.
func (s *Store) batch(ctx context.Context, b store.Board, owners []string, consistent bool) (r rows, u store.Usage, err error) {
	r = newRows(len(owners))
	keys := make([]item, len(owners))
	for i, owner := range owners {
		keys[i] = keyOf(owner, b.Name)
	}
	for vain := 0; len(keys) > 0; {
		out, n, err := read(ctx, s.options, target{table: s.table}, s.api.BatchGetItem, &dynamodb.BatchGetItemInput{
			RequestItems:           map[string]types.KeysAndAttributes{s.table: {Keys: keys, ConsistentRead: aws.Bool(consistent)}},
			ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes,
		})
		if err != nil {
			u.Requests += n.requests
			return rows{}, u, fmt.Errorf("read %d owners on board %q: %w", len(keys), b.Name, err)
		}
		u.Add(batchUsage(out.ConsumedCapacity, n))
		for _, i := range out.Responses[s.table] {
			owner := textOf(i[attrOwner])
			e, err := decodeEntry(s.table, b, owner, i)
			if err != nil {
				r.unreadable[owner] = err
				continue
			}
			r.entries[owner] = e
		}
		left := out.UnprocessedKeys[s.table].Keys
		if vain++; len(left) < len(keys) {
			vain = 0
		}
		if keys = left; len(keys) == 0 {
			break
		}
		if vain >= s.options.attempts {
			return rows{}, u, fmt.Errorf("read owners on board %q: %d were left out by each of %d tries: %w", b.Name, len(keys), vain, store.ErrThrottled)
		}
		if err := s.options.pause(ctx, vain+1); err != nil {
			return rows{}, u, err
		}
	}
	return r, u, nil
}

func batchUsage(all []types.ConsumedCapacity, n sent) (u store.Usage) {
	for i := range all {
		u.Add(readUsage(&all[i], sent{}))
	}
	u.Requests = n.requests
	return u
}

func textOf(value types.AttributeValue) string {
	if s, ok := value.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// PutAll implements [store.Entries]: so many Puts at the same time, in no order.
func (s *Store) PutAll(ctx context.Context, b store.Board, entries []store.Entry) ([]error, store.Usage, error) {
	if err := s.begin(ctx); err != nil {
		return nil, store.Usage{}, err
	}
	defer s.work.Done()
	errs := make([]error, len(entries))
	used := make([]store.Usage, len(entries))
	var group errgroup.Group
	group.SetLimit(s.options.writers)
	for i, e := range entries {
		group.Go(func() error {
			if errs[i] = ctx.Err(); errs[i] == nil {
				used[i], errs[i] = s.put(ctx, b, e)
			}
			return nil
		})
	}
	_ = group.Wait()
	var u store.Usage
	for _, one := range used {
		u.Add(one)
	}
	return errs, u, nil
}
