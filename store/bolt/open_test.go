package bolt_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

func TestOpenKeepsWhatWasStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	board := benchBoard(4)
	if err := s.CreateBoard(bg, board); err != nil {
		t.Fatal(err)
	}
	mustLoad(t, s, board, randomRows(2000))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path, bolt.MustExist())
	if got := countBoard(t, s, board); got != 2000 {
		t.Errorf("%d rows after reopening, want 2000", got)
	}
	if s.Path() != path {
		t.Errorf("path %s, want %s", s.Path(), path)
	}
	left, _ := os.ReadDir(filepath.Dir(path))
	if len(left) != 1 {
		t.Errorf("files beside the database: %v", left)
	}
}

func countBoard(t *testing.T, s *bolt.Store, b store.Board) (rows int64) {
	t.Helper()
	for shard := range b.Shards {
		q := store.Query{Partition: b.Partition("xp", shard), From: store.MaxScore, To: -store.MaxScore}
		page, err := s.Count(bg, q)
		if err != nil {
			t.Fatal(err)
		}
		rows += page.Count
	}
	return rows
}

func TestOpenMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	_, err := bolt.Open(path, bolt.MustExist())
	if !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "rankcurve load BOARD FILE") || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want ErrNotFound that says what to run", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file was made")
	}
	if _, err := bolt.Open(filepath.Join(path, "deeper.db")); err == nil {
		t.Error("opened a file in a folder that is not there")
	}
}

func TestOpenFileOfNoBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.db")
	write(t, path, nil)
	_ = open(t, path).Close()
	_ = open(t, path, bolt.MustExist()).Close()
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Database makes a sound database of some pages and returns its bytes.
func database(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sound.db")
	s := open(t, path, bolt.NoSync())
	mustLoad(t, s, benchBoard(2), randomRows(5000))
	_ = s.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func foreign(t *testing.T, bucket string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "foreign.db")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bucket != "" {
		err = db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte(bucket)); return err })
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestOpenLeavesOtherFilesUntouched(t *testing.T) {
	sound := database(t)
	for name, data := range map[string][]byte{
		"short text":           []byte("owner,xp\nann,5\n"),
		"long text":            bytes.Repeat([]byte("owner,xp\nann,5\n"), 10_000),
		"zeros":                make([]byte, 65536),
		"bolt without buckets": foreign(t, ""),
		"bolt of another":      foreign(t, "meta"),
		"first page only":      sound[:4096],
		"two pages only":       sound[:8192],
		"a hundred bytes":      sound[:100],
		"truncated":            sound[:len(sound)/8],
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "other")
			write(t, path, data)
			if s, err := bolt.Open(path); !errors.Is(err, store.ErrNoDatabase) {
				t.Errorf("opened %v with %v, want ErrNoDatabase", s, err)
			} else if !strings.Contains(err.Error(), path) {
				t.Errorf("error %v does not name the file", err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
				t.Errorf("the file has changed: %d bytes, then %d, %v", len(data), len(after), err)
			}
		})
	}
}

func TestOpenFolder(t *testing.T) {
	if _, err := bolt.Open(t.TempDir()); !errors.Is(err, store.ErrNoDatabase) {
		t.Errorf("error %v, want ErrNoDatabase", err)
	}
}

// Every page in turn is overwritten: Open must find it, or the reads after it; no
// panic may leave the package.
func TestOpenDamagedPages(t *testing.T) {
	sound := database(t)
	path := filepath.Join(t.TempDir(), "damaged.db")
	found := 0
	for page := 2; page < len(sound)/4096; page++ {
		for _, fill := range []byte{0, 0xff, 0x5a} {
			damaged := bytes.Clone(sound)
			copy(damaged[page*4096:], bytes.Repeat([]byte{fill}, 4096))
			write(t, path, damaged)
			s, err := bolt.Open(path, bolt.NoSync())
			if err == nil { // a page that nothing uses
				_ = s.Close()
				continue
			}
			found++
			if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrNoDatabase) {
				t.Fatalf("page %d filled with %x: %v, want ErrCorrupt or ErrNoDatabase", page, fill, err)
			}
		}
	}
	if found == 0 {
		t.Error("no damaged page was found")
	}
}

// A row that is damaged inside a sound page is named.
func TestDamagedEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	board := benchBoard(1)
	mustLoad(t, s, board, []store.Entry{{Owner: "ann", Scores: map[string]int64{"xp": 1}}})
	_ = s.Close()
	damage(t, path, "entries", "ann\x00bench")
	s = open(t, path)
	row := store.Entry{Owner: "ann"}
	_, _, read := s.Entry(bg, board, "ann")
	_, _, many := s.EntriesOf(bg, board, []string{"ann"})
	_, put := s.Put(bg, board, row)
	_, load := s.Load(bg, board, []store.Entry{row})
	_, gone := s.Delete(bg, board, "ann", 1)
	for call, err := range map[string]error{"Entry": read, "EntriesOf": many, "Put": put, "Load": load, "Delete": gone} {
		if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), `"ann"`) || !strings.Contains(err.Error(), `"bench"`) {
			t.Errorf("%s: %v, want ErrCorrupt naming owner and board", call, err)
		}
	}
}
