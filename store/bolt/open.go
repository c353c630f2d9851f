package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	bbolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/rankcurve/rankcurve/store"
)

// LockWait is how long each of the two looks at the file waits for another
// process to leave it; together they stay under a second.
const lockWait = 400 * time.Millisecond

const fileMode = 0o600

// MapBytes is the address space that a file is mapped to from the start. Growing
// it waits for all reads and copies all pages that a write has changed.
func mapBytes() int {
	if runtime.GOOS == "windows" || math.MaxInt < math.MaxInt64 {
		return 0 // the file would be made as long, or the address space is short
	}
	size := int64(4 << 30)
	return int(size)
}

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
	if err := guard(func() error { return voidLeases(db) }); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return newStore(db), nil
}

// PrepareFile makes sure that there is a sound file to open.
func prepareFile(path string, o options) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.mustExist:
		return &advice{fmt.Sprintf("no database at %s: `rankcurve load BOARD FILE` makes one", path), store.ErrNotFound}
	case errors.Is(err, fs.ErrNotExist):
		return create(path, o)
	case err != nil:
		return fmt.Errorf("open database: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("open database %s: it is no regular file: %w", path, store.ErrNoDatabase)
	case info.Size() == 0 && o.mustExist:
		return &advice{fmt.Sprintf("the file %s is empty, it is no database: `rankcurve load BOARD FILE` makes it one", path), store.ErrNotFound}
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
			Timeout:         lockWait,
			NoFreelistSync:  true,
			FreelistType:    bbolt.FreelistMapType,
			NoSync:          o.noSync,
			NoGrowSync:      o.noSync,
			NoStatistics:    true,
			InitialMmapSize: mapBytes(),
		})
		return err
	})
	if err != nil {
		return nil, openFailure(path, err)
	}
	return db, nil
}

// Advice is an error whose text says it all, for a person: what it wraps would
// only repeat it.
type advice struct {
	text  string
	cause error
}

func (a *advice) Error() string { return a.text }
func (a *advice) Unwrap() error { return a.cause }

func openFailure(path string, err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return &advice{fmt.Sprintf("database %s is in use by another process; stop it or name another file with --db", path), store.ErrInUse}
	case errors.Is(err, store.ErrCorrupt), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("open database %s: %w", path, err)
	}
	return fmt.Errorf("open database %s: %w: %w", path, store.ErrNoDatabase, err)
}
