package synthetic

import "context"

// BetterIn is how many rows of a partition have better keys: what a
// Count of it adds up to, without its pages.
func (s *Store) BetterIn(column, shard int, key int64) (int64, error) {
	m, err := s.moment(context.Background())
	if err != nil {
		return 0, err
	}
	return m.partition(column, shard).better(key), nil
}
