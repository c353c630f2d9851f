package synthetic

import (
	"bytes"
	"context"
	"crypto/rand"

	"github.com/rankcurve/rankcurve/store"
)

// BoardsOf implements [store.Owners].
func (s *Store) BoardsOf(ctx context.Context, owner string) ([]store.Owned, store.Usage, error) {
	m, err := s.moment(ctx)
	if err != nil {
		return nil, store.Usage{}, err
	}
	e := m.entry(m.definition, owner)
	u := store.Usage{TableReads: store.ItemReadUnits(storedSize(m.definition, e), false), Requests: 1}
	if e.Version == 0 {
		return nil, u, nil
	}
	return []store.Owned{{Board: s.copied(), Entry: e}}, u, nil
}

// Secret implements [store.Secrets]. It is random, whatever the seed.
func (s *Store) Secret(ctx context.Context, name string) (secret []byte, u store.Usage, err error) {
	if err := store.ValidateSecret(name); err != nil {
		return nil, u, err
	}
	err = s.change(ctx, func() error {
		made := s.secrets[name]
		u = readOf(len(made))
		if made == nil {
			made = make([]byte, store.SecretBytes)
			rand.Read(made) // never fails
			s.secrets[name] = made
			u.Add(writeOf(len(made)))
		}
		secret = bytes.Clone(made)
		return nil
	})
	return secret, u, err
}
