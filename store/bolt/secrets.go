package bolt

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// SecretPrefix is before a secret's name in bucketMeta.
const secretPrefix = "secret:"

// Secret implements [store.Secrets].
func (s *Store) Secret(ctx context.Context, name string) (secret []byte, u store.Usage, err error) {
	if err := store.ValidateSecret(name); err != nil {
		return nil, u, err
	}
	key := []byte(secretPrefix + name)
	if err := s.view(ctx, func(tx *bbolt.Tx) error {
		secret = bytes.Clone(tx.Bucket(bucketMeta).Get(key))
		return nil
	}); err != nil {
		return nil, u, err
	}
	u = readOf(len(secret))
	if secret == nil {
		made := make([]byte, store.SecretBytes)
		rand.Read(made) // never fails
		u.Add(writeOf(len(made)))
		err = s.write(ctx, &write{
			check: func(tx *bbolt.Tx) error {
				secret = bytes.Clone(tx.Bucket(bucketMeta).Get(key))
				return nil
			},
			apply: func(tx *bbolt.Tx) error {
				if secret != nil { // another was faster
					return nil
				}
				secret = made
				return tx.Bucket(bucketMeta).Put(key, made)
			},
		})
		if err != nil {
			return nil, u, err
		}
	}
	if len(secret) != store.SecretBytes {
		return nil, u, fmt.Errorf("secret %q has %d bytes, not %d: %w", name, len(secret), store.SecretBytes, store.ErrCorrupt)
	}
	return secret, u, nil
}
