package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// Inspect looks at an existing file without the right to change it: a file that
// is not ours must stay as it is. It also walks all pages, because bbolt does so
// on opening for writes in a goroutine of its own, where a damaged page's panic
// would end the process.
func inspect(path string) error {
	return guardOpen(path, func() error {
		db, err := bbolt.Open(path, fileMode, &bbolt.Options{ReadOnly: true, Timeout: lockWait, NoStatistics: true})
		if err != nil {
			return err
		}
		err = guard(func() error {
			return db.View(func(tx *bbolt.Tx) error { return inspectPages(tx, path) })
		})
		return errors.Join(err, db.Close())
	})
}

func guardOpen(path string, work func() error) error {
	if err := guard(work); err != nil {
		return openFailure(path, err)
	}
	return nil
}

func inspectPages(tx *bbolt.Tx, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() < tx.Size() {
		return fmt.Errorf("file has %d of its %d bytes: %w", info.Size(), tx.Size(), store.ErrNoDatabase)
	}
	meta := tx.Bucket(bucketMeta)
	if meta == nil || !bytes.Equal(meta.Get(metaFormat), formatName) {
		return fmt.Errorf("a bolt file of another program: %w", store.ErrNoDatabase)
	}
	if v := meta.Get(metaVersion); !bytes.Equal(v, formatVersion) {
		return fmt.Errorf("file has format version %s, this program reads %s: %w", v, formatVersion, store.ErrNoDatabase)
	}
	for _, name := range allBuckets {
		b := tx.Bucket(name)
		if b == nil {
			return fmt.Errorf("bucket %q is missing: %w", name, store.ErrCorrupt)
		}
		touch(b)
	}
	if b := tx.Bucket(bucketHistory); b != nil { // files of before have none
		touch(b)
	}
	return nil
}

// Touch reads every page of a bucket.
func touch(b *bbolt.Bucket) {
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if v == nil {
			if inner := b.Bucket(k); inner != nil {
				touch(inner)
			}
		}
	}
}
