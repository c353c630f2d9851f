package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

// A counted log is one log's record in the journal. Up to Done everything is counted.
// The lines from there to Next were being counted when it was saved: some of their
// posts may be stored, all with ids made of ID and the place of Done, so that counting
// exactly these lines again ends it. No other chunk may be begun before.
type countedLog struct {
	ID   string              `json:"id"`
	Name string              `json:"name,omitempty"` // that --log gave it
	How  string              `json:"how"`            // the columns, which must stay the same
	Done mark                `json:"done"`
	Next *mark               `json:"next,omitempty"`
	Left map[string][]string `json:"left,omitempty"` // owners by board whose rows refused the lines up to Next, when all others had taken them
	Lost map[string][]string `json:"lost,omitempty"` // owners by board of which it cannot be told whether they have those lines: they are not posted again
	Skip []int               `json:"skip,omitempty"` // of the lines up to Next, those that are refused and listed
	List string              `json:"list,omitempty"` // the file where lines up to Next are listed whose rows refused them: with another, they could be counted too
	Ends []mark              `json:"ends,omitempty"` // earlier places, by which older copies and changes are known
	At   time.Time           `json:"at"`             // of the last chunk's beginning
}

// postID is the id of all posts of the chunk that is under way.
func (l countedLog) postID() string { return fmt.Sprintf("%s-%d", l.ID, l.Done.Bytes) }

// end says that the chunk under way is stored.
func (l *countedLog) end() {
	l.Done, l.Next, l.Left, l.Lost, l.Skip, l.List = *l.Next, nil, nil, nil, nil, ""
}

func (l *countedLog) skips(line int) bool {
	_, found := slices.BinarySearch(l.Skip, line)
	return found
}

// A journal says how far the logs of a family are counted, in an item of the store for
// all those that begin with the same line. Rows remember their last posts only, so
// they alone could not tell what an old log has been counted for.
type journal struct {
	store  store.Store
	family string
	key    store.CurveKey // its item is kept as a curve's state is
	lease  store.Lease

	logs  []countedLog
	at    int  // of the log at hand in logs
	fresh bool // that one is not saved yet
}

// journalLease is for how long a log is locked after its counter died. A living one
// renews before each batch.
const journalLease = 30 * time.Second

// openJournal takes the log's lease and reads what is known of it. A lease whose
// holder is dead is waited for.
func (r *rollup) openJournal(ctx context.Context) (*journal, error) {
	first, err := r.log.firstLine()
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
	j.fresh = j.fresh && err != nil
	return err
}

// places are those where the file's sum is asked for.
func (j *journal) places() (places []int64) {
	for _, known := range j.logs {
		places = append(places, known.Done.Bytes)
		for _, end := range known.Ends {
			places = append(places, end.Bytes)
		}
		if known.Next != nil {
			places = append(places, known.Next.Bytes)
		}
	}
	return places
}
