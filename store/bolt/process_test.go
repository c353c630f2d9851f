package bolt_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/bolt"
)

// The test binary runs itself again as a second process; these say as what.
const (
	roleVariable = "RANKCURVE_TEST_ROLE"
	pathVariable = "RANKCURVE_TEST_PATH"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "hold":
		exit(hold(os.Getenv(pathVariable)))
	case "post":
		exit(post(os.Getenv(pathVariable)))
	}
	os.Exit(m.Run())
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// Hold keeps the file open until it is killed.
func hold(path string) error {
	if _, err := bolt.Open(path); err != nil {
		return err
	}
	fmt.Println("open")
	for {
		time.Sleep(time.Hour)
	}
}

const posters = 8

// Post writes until it is killed, and says which writes were acknowledged.
func post(path string) error {
	s, err := bolt.Open(path)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for w := range posters {
		go func() {
			e := store.Entry{Owner: fmt.Sprintf("writer-%d", w), Scores: map[string]int64{"xp": 0}}
			for ; ; e.Version++ {
				e.Scores["xp"] = e.Version + 1
				if _, err := s.Put(bg, benchBoard(2), e); err != nil {
					failed <- err
					return
				}
				fmt.Printf("%d %d\n", w, e.Version+1)
			}
		}()
	}
	return <-failed
}

// Start runs the test binary in a role and returns the lines it prints.
func start(t *testing.T, role, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

func TestOpenInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	cmd, lines := start(t, "hold", path)
	if !lines.Scan() {
		t.Fatal("the other process did not open the file")
	}
	for _, opts := range [][]bolt.Option{nil, {bolt.MustExist()}} {
		_, err := bolt.Open(path, opts...)
		if !errors.Is(err, store.ErrInUse) || err.Error() != "database "+path+" is in use by another process; stop it or name another file with --db" {
			t.Errorf("error %v, want ErrInUse that says what to do", err)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	open(t, path, bolt.MustExist())
}

func TestOpenTwiceInOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	open(t, path)
	if _, err := bolt.Open(path); !errors.Is(err, store.ErrInUse) {
		t.Errorf("error %v, want ErrInUse", err)
	}
}

// A process is killed while it posts: every write that it was told is stored must
// be there, in the row and in the index.
func TestKilledWhilePosting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	for round := range 3 {
		if round > 0 {
			_ = os.Remove(path)
		}
		cmd, lines := start(t, "post", path)
		acknowledged := map[int]int64{}
		for n := 0; n < 300*(round+1) && lines.Scan(); n++ {
			noteAcknowledged(t, acknowledged, lines.Text())
		}
		_ = cmd.Process.Kill() // SIGKILL
		for lines.Scan() {     // what it still said before
			noteAcknowledged(t, acknowledged, lines.Text())
		}
		_ = cmd.Wait()
		checkAcknowledged(t, path, acknowledged)
	}
}

func noteAcknowledged(t *testing.T, acknowledged map[int]int64, line string) {
	t.Helper()
	writer, version, ok := strings.Cut(line, " ")
	w, err1 := strconv.Atoi(writer)
	v, err2 := strconv.ParseInt(version, 10, 64)
	if !ok || err1 != nil || err2 != nil {
		return // the line that the kill cut
	}
	acknowledged[w] = max(acknowledged[w], v)
}

func checkAcknowledged(t *testing.T, path string, acknowledged map[int]int64) {
	t.Helper()
	if len(acknowledged) == 0 {
		t.Fatal("nothing was posted before the kill")
	}
	s := open(t, path, bolt.MustExist())
	defer func() { _ = s.Close() }()
	board := benchBoard(2)
	for w, version := range acknowledged {
		owner := fmt.Sprintf("writer-%d", w)
		e, _, err := s.Entry(bg, board, owner)
		if err != nil || e.Version < version || e.Scores["xp"] != e.Version {
			t.Errorf("%s: %+v, %v; version %d was acknowledged", owner, e, err, version)
			continue
		}
		q := store.Query{Partition: board.Partition("xp", store.ShardOf(owner, 2)), From: e.Version, To: e.Version}
		page, err := s.Rows(bg, q)
		if err != nil || !containsOwner(page.Rows, owner) {
			t.Errorf("%s is not in the index at %d: %v, %v", owner, e.Version, page.Rows, err)
		}
	}
	if got := countBoard(t, s, board); got > posters {
		t.Errorf("%d index rows of %d writers: one left an old one behind", got, posters)
	}
}

func containsOwner(rows []store.Position, owner string) bool {
	for _, r := range rows {
		if r.Owner == owner {
			return true
		}
	}
	return false
}
