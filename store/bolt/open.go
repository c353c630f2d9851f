package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bbolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/rankcurve/rankcurve/store"
)

// LockWait is how long each of the two looks at the file waits for another
// process to leave it; together they stay under a second.
const lockWait = 400 * time.Millisecond

const fileMode = 0o600

type options struct {
	mustExist bool
	noSync    bool
}

// Option changes how [Open] opens a file.
type Option func(*options)

// MustExist refuses to make a new file: a missing one is [store.ErrNotFound].
// Defaults to making it.
func MustExist() Option { return func(o *options) { o.mustExist = true } }

// NoSync leaves it to the operating system when writes reach the disk: a power
// cut may lose or damage them all. For tests and throw-away boards only.
// Defaults to an fsync before a write returns.
func NoSync() Option { return func(o *options) { o.noSync = true } }

// Open opens the database file, or makes one where none is. It reads the pages
// of the whole file once, so that a damaged one is found here.
//
// The error is [store.ErrInUse] within a second when another process has the
// file open, [store.ErrNoDatabase] when the file is something else, which is
// then left as it is, [store.ErrNotFound] with [MustExist], and
// [store.ErrCorrupt] when pages are damaged.
func Open(path string, opts ...Option) (*Store, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	if err := prepareFile(path, o); err != nil {
		return nil, err
	}
	db, err := openFile(path, o)
	if err != nil {
		return nil, err
	}
	return newStore(db), nil
}

// PrepareFile makes sure that there is a sound file to open.
func prepareFile(path string, o options) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.mustExist:
		return fmt.Errorf("no database at %s: `rankcurve load BOARD FILE` makes one: %w", path, store.ErrNotFound)
	case errors.Is(err, fs.ErrNotExist):
		return create(path, o)
	case err != nil:
		return fmt.Errorf("open database: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("open database %s: it is no regular file: %w", path, store.ErrNoDatabase)
	case info.Size() == 0:
		return mark(path, o)
	}
	return inspect(path)
}

// Create makes the file under another name first: whoever sees it under its own
// sees it complete, even if this process dies on the way.
func create(path string, o options) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return fmt.Errorf("create database %s: %w", path, err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if err := errors.Join(f.Close(), mark(f.Name(), o)); err != nil {
		return fmt.Errorf("create database %s: %w", path, err)
	}
	err = os.Link(f.Name(), path)
	switch {
	case errors.Is(err, fs.ErrExist): // another process was faster
		return inspect(path)
	case err != nil: // a file system without links
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("create database %s: %w", path, err)
	}
	return syncFolder(filepath.Dir(path))
}

// SyncFolder makes a new file's name as durable as its content.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	_ = d.Sync() // not every system can sync a folder
	return d.Close()
}

// Mark turns an empty file into a database, in one transaction.
func mark(path string, o options) error {
	db, err := openFile(path, o)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range allBuckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		meta := tx.Bucket(bucketMeta)
		return errors.Join(meta.Put(metaFormat, formatName), meta.Put(metaVersion, formatVersion))
	})
	return errors.Join(err, db.Close())
}

func openFile(path string, o options) (*bbolt.DB, error) {
	var db *bbolt.DB
	err := guard(func() (err error) {
		db, err = bbolt.Open(path, fileMode, &bbolt.Options{
			Timeout:        lockWait,
			NoFreelistSync: true,
			FreelistType:   bbolt.FreelistMapType,
			NoSync:         o.noSync,
			NoGrowSync:     o.noSync,
			NoStatistics:   true,
		})
		return err
	})
	if err != nil {
		return nil, openFailure(path, err)
	}
	return db, nil
}

func openFailure(path string, err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("database %s is in use by another process; stop it or name another file with --db: %w", path, store.ErrInUse)
	case errors.Is(err, store.ErrCorrupt), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("open database %s: %w", path, err)
	}
	return fmt.Errorf("open database %s: %w: %w", path, store.ErrNoDatabase, err)
}

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
