package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// A mark is a place in a log where a line begins, with what stands before it: a file
// that has the same before it is the same log, however it is named and however much it
// has grown.
type mark struct {
	Bytes int64  `json:"bytes"`
	Lines int    `json:"lines"` // before it
	Sum   string `json:"sha256"`
}

// A counted log is one log's record in the journal. Up to Done everything is counted.
// The lines from there to Next were being counted when it was saved: some of their
// posts may be stored, all with ids made of ID and the place of Done, so that counting
// exactly these lines again ends it. No other chunk may be begun before.
type countedLog struct {
	ID   string    `json:"id"`
	How  string    `json:"how"` // the columns, which must stay the same
	Done mark      `json:"done"`
	Next *mark     `json:"next,omitempty"`
	At   time.Time `json:"at"`
}

// postID is the id of all posts of the chunk that is under way.
func (l countedLog) postID() string { return fmt.Sprintf("%s-%d", l.ID, l.Done.Bytes) }

// A journal says how far the logs of a family are counted, in an item of the store for
// all those that begin with the same lines. Rows remember their last posts only, so
// they alone could not tell what an old log has been counted for.
type journal struct {
	store  store.Store
	family string
	key    store.CurveKey // its item is kept as a curve's state is
	lease  store.Lease

	logs []countedLog
	at   int // of the log at hand in logs
}

// journalLease is for how long a log is locked after its counter died. A living one
// renews before each batch.
const journalLease = 30 * time.Second

// openJournal takes the log's lease and reads what is known of it. A lease whose
// holder is dead is waited for.
func (r *rollup) openJournal(ctx context.Context) (*journal, error) {
	first, err := r.log.firstLines()
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(first)
	name := "journal-" + hex.EncodeToString(digest[:12]) // no column's: those have no -
	j := &journal{store: r.store, family: r.def.Name, key: store.CurveKey{Board: r.def.Name, Column: name}}
	if err := j.take(ctx, r.program); err != nil {
		return nil, err
	}
	data, _, err := r.store.State(ctx, j.key)
	if err == nil {
		err = json.Unmarshal(data, &j.logs)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, errors.Join(fmt.Errorf("read the journal of family %q: %w", j.family, err), j.release(ctx))
	}
	return j, nil
}

func (j *journal) take(ctx context.Context, p *program) (err error) {
	name := "load/" + j.key.String()
	own := holder() + "#" + rand.Text()[:8]
	deadline := time.Now().Add(journalLease + 5*time.Second)
	for {
		j.lease, err = j.store.Acquire(ctx, name, own, time.Now(), journalLease)
		if !errors.Is(err, store.ErrHeld) || time.Now().After(deadline) {
			break
		}
		p.log().Info("the log is being counted, or was until its counter died", "family", j.family, "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	if errors.Is(err, store.ErrHeld) {
		return hintf(err, "another process counts this log; wait for it, and run again")
	}
	return err
}

// confirm prolongs the lease, or says that another has taken the log over.
func (j *journal) confirm(ctx context.Context) (err error) {
	j.lease, err = j.store.Renew(ctx, j.lease, time.Now(), journalLease)
	return err
}

func (j *journal) release(ctx context.Context) error {
	err := j.store.Release(context.WithoutCancel(ctx), j.lease)
	if errors.Is(err, store.ErrLost) {
		return nil // its new holder goes on
	}
	return err
}

func (j *journal) log() *countedLog { return &j.logs[j.at] }

// save keeps what is known of all logs.
func (j *journal) save(ctx context.Context) error {
	if err := j.confirm(ctx); err != nil {
		return err
	}
	data, err := json.Marshal(j.logs)
	if err != nil {
		return fmt.Errorf("write the journal of family %q: %w", j.family, err)
	}
	_, err = j.store.SaveState(ctx, j.key, data)
	return err
}

// find looks for the log among those that are known: the one that a file begins with,
// and of several the longest. Sums are those of the file, by place.
func (j *journal) find(how string, began mark, end int64, sums map[int64]string) error {
	begins := func(m *mark) bool { return m == nil || sums[m.Bytes] == m.Sum }
	j.at = -1
	var further *countedLog
	for i, known := range j.logs {
		if known.Done.Bytes > end {
			further = &j.logs[i]
		}
		if !begins(&known.Done) {
			continue
		}
		if j.at < 0 || known.Done.Bytes > j.log().Done.Bytes || known.Done.Bytes == j.log().Done.Bytes && begins(known.Next) {
			j.at = i
		}
	}
	if j.at < 0 && further != nil {
		return fmt.Errorf("a log with the same first line was counted up to line %d, and this file ends before that: if it is the same one, cut short, there is nothing new in it; another log must not begin with the same line: %w", further.Done.Lines, store.ErrInvalid)
	}
	if j.at < 0 {
		j.logs = append(j.logs, countedLog{ID: strings.ToLower(rand.Text()[:10]), How: how, Done: began})
		j.at = len(j.logs) - 1
		return nil
	}
	known := j.log()
	if known.How != how {
		return usagef("this log was counted into %s before, by %s; counted by %s too, its lines would be in there twice: name another board, or the same flags", j.family, known.How, how)
	}
	if !begins(known.Next) {
		return fmt.Errorf("the lines %d to %d were being counted when that was stopped at %s, and are not in the file any more; give it back what it had there, and run again: %w",
			known.Done.Lines+1, known.Next.Lines, known.At.Format(time.RFC3339), store.ErrInvalid)
	}
	return nil
}

// places are those where the file's sum is asked for.
func (j *journal) places() (places []int64) {
	for _, known := range j.logs {
		places = append(places, known.Done.Bytes)
		if known.Next != nil {
			places = append(places, known.Next.Bytes)
		}
	}
	return places
}

// firstLines are a log's header, if it has one, and its first line.
func (l *accessLog) firstLines() ([]byte, error) {
	const most = 1 << 16
	start := make([]byte, min(most, l.usable))
	if _, err := l.file.ReadAt(start, 0); err != nil {
		return nil, fmt.Errorf("read input: %w", err)
	}
	if l.body >= int64(len(start)) {
		return start, nil
	}
	end := bytes.IndexByte(start[l.body:], '\n')
	return start[:l.body+int64(end)+1], nil
}

// A summer sums up a log from its start on, and counts its lines.
type summer struct {
	log   *accessLog
	hash  hash.Hash
	bytes int64
	lines int
}

func (l *accessLog) summer() *summer { return &summer{log: l, hash: sha256.New()} }

// to goes on to a place, which must not be before the last one.
func (s *summer) to(place int64) (mark, error) {
	section, block := s.log.section(s.bytes, place), make([]byte, 1<<16)
	for {
		n, err := section.Read(block)
		s.hash.Write(block[:n])
		s.lines += bytes.Count(block[:n], []byte("\n"))
		s.bytes += int64(n)
		if errors.Is(err, io.EOF) {
			return mark{s.bytes, s.lines, hex.EncodeToString(s.hash.Sum(nil))}, nil
		}
		if err != nil {
			return mark{}, fmt.Errorf("read input: %w", err)
		}
	}
}

// sums are those of all places in the file that are asked for.
func (l *accessLog) sums(places []int64) (map[int64]string, error) {
	sums, s := map[int64]string{}, l.summer()
	slices.Sort(places)
	for _, place := range slices.Compact(places) {
		if place > l.usable {
			break
		}
		m, err := s.to(place)
		if err != nil {
			return nil, err
		}
		sums[place] = m.Sum
	}
	return sums, nil
}
