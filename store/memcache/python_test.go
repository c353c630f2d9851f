package memcache_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
)

// runReader runs the program in another language.
func runReader(t *testing.T, words ...string) ([]byte, error) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		missing(t, "python3", "python3 is not installed")
	}
	cmd := exec.Command(python, append([]string{"testdata/read_curve.py"}, words...)...)
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return nil, &pythonError{failure.String()}
	}
	return out, nil
}

// readCurve has a curve read from a file or a memcached address, and asked.
func readCurve(t *testing.T, source string, questions ...question) (v vector, err error) {
	t.Helper()
	words := append(make([]string, 0, 1+3*len(questions)), source)
	for _, q := range questions {
		words = append(words, "--age", strconv.FormatInt(q.Age, 10), q.Score)
	}
	out, err := runReader(t, words...)
	if err != nil {
		return v, err
	}
	lines := json.NewDecoder(bytes.NewReader(out))
	if err := lines.Decode(&v.facts); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for lines.More() {
		var q question
		if err := lines.Decode(&q); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		v.Questions = append(v.Questions, q)
	}
	return v, nil
}

type pythonError struct{ text string }

func (p *pythonError) Error() string { return p.text }

func TestAnotherLanguageReadsTheVectors(t *testing.T) {
	for _, name := range vectorNames(t) {
		_, want := readVector(t, name)
		got, err := readCurve(t, name+".bin", want.Questions...)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.facts, want.facts) {
			t.Errorf("%s: %+v, want %+v", name, got.facts, want.facts)
		}
		for i := range want.Questions {
			if got.Questions[i] != want.Questions[i] {
				t.Errorf("%s: %+v, want %+v", name, got.Questions[i], want.Questions[i])
			}
		}
	}
}

// Another language makes the key of the registry's item, and reads with nothing but
// that and the documented format what a publish has put into memcached.
func TestAnotherLanguageReadsTheLiveValue(t *testing.T) {
	srv := startServer(t)
	for _, name := range vectorNames(t) {
		st, _ := wrap(t, newInner(t), srv.addr)
		data, want := readVector(t, name)
		k := store.CurveKey{Board: want.Board, Column: want.Column, ID: def.ID}
		if name == "testdata/empty" {
			k.ID = "" // of a board from before there were IDs
		}
		item, err := json.Marshal(store.Board{ID: k.ID, Name: k.Board, Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		key, err := runReader(t, "--key", table, string(item), k.Column)
		if err != nil || strings.TrimSpace(string(key)) != memcache.Key(table, k) {
			t.Fatalf("%s: key %s, %v; want %s", name, key, err, memcache.Key(table, k))
		}
		address := "memcached://" + srv.addr + "/" + strings.TrimSpace(string(key))
		srv.say(t, "flush_all")
		if _, err := readCurve(t, address); err == nil || !strings.Contains(err.Error(), "memcached does not hold") {
			t.Errorf("%v, want that the key is not there", err)
		}
		if _, err := st.Publish(bg, k, store.Published{Generation: want.Generation, Data: data}); err != nil {
			t.Fatal(err)
		}
		got, err := readCurve(t, address, want.Questions...)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
}

func TestAnotherLanguageAsksForNow(t *testing.T) {
	out, err := runReader(t, "testdata/forecast.bin", "--age", "now", "1000")
	if err != nil {
		t.Fatal(err)
	}
	var v vector
	var q question
	lines := json.NewDecoder(bytes.NewReader(out))
	if err := errors.Join(lines.Decode(&v.facts), lines.Decode(&q)); err != nil {
		t.Fatal(err)
	}
	if age := time.Since(time.UnixMilli(v.AsOf)); q.Age > age.Milliseconds() || q.Age < (age-time.Hour).Milliseconds() {
		t.Errorf("an age of %d ms, want %s", q.Age, age)
	}
	for _, words := range [][]string{{"--age", "soon", "1"}, {"--age"}} {
		_, err := runReader(t, append([]string{"testdata/forecast.bin"}, words...)...)
		if err == nil || !strings.Contains(err.Error(), "neither a number of milliseconds nor now") {
			t.Errorf("%q: %v", words, err)
		}
	}
}

func TestAnotherLanguageRefusesDamage(t *testing.T) {
	good, _ := readVector(t, "testdata/skewed")
	for name, data := range map[string][]byte{
		"cut":      good[:len(good)-1],
		"bit":      slices.Concat(good[:100], []byte{good[100] ^ 1}, good[101:]),
		"checksum": slices.Concat(good[:1], []byte{good[1] ^ 1}, good[2:]),
		"text":     []byte("no curve"),
		"empty":    {},
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readCurve(t, file, question{Score: "1"}); err == nil || strings.Contains(err.Error(), "Traceback") {
			t.Errorf("%s: %v, want a message", name, err)
		}
	}
}
