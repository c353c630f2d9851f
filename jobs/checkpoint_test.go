package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A pod is what one process has of the store: pages take their time, and no call is
// carried out once it is killed.
type pod struct {
	store.Store
	wait      time.Duration // for each page
	dead      atomic.Bool
	broken    atomic.Bool // pages cannot be read
	unsaved   atomic.Bool // checkpoints cannot be saved
	estranged atomic.Bool // leases cannot be renewed

	onPublish, onSave func() // called after each

	mu        sync.Mutex
	saves     []int // sizes of what was saved of a walk
	published []time.Time
}

var errKilled = errors.New("this process was killed")

func (p *pod) call(ctx context.Context) error {
	if p.dead.Load() {
		return errKilled
	}
	return ctx.Err()
}

func (p *pod) page(ctx context.Context) error {
	if p.wait > 0 {
		if err := sleeping(ctx, p.wait); err != nil {
			return err
		}
	}
	if p.broken.Load() {
		return fmt.Errorf("on purpose: %w", store.ErrUnavailable)
	}
	return p.call(ctx)
}

func (p *pod) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if err := p.page(ctx); err != nil {
		return store.Page{}, err
	}
	return p.Store.Rows(ctx, q)
}

func (p *pod) Count(ctx context.Context, q store.Query) (store.CountPage, error) {
	if err := p.page(ctx); err != nil {
		return store.CountPage{}, err
	}
	return p.Store.Count(ctx, q)
}

func (p *pod) SaveState(ctx context.Context, k store.CurveKey, data []byte) (store.Usage, error) {
	if err := p.call(ctx); err != nil {
		return store.Usage{}, err
	}
	if strings.HasSuffix(k.Column, "/walk") {
		if p.unsaved.Load() {
			return store.Usage{}, store.ErrUnavailable
		}
		p.mu.Lock()
		p.saves = append(p.saves, len(data))
		p.mu.Unlock()
		if p.onSave != nil {
			defer p.onSave()
		}
	}
	return p.Store.SaveState(ctx, k, data)
}

func (p *pod) Publish(ctx context.Context, k store.CurveKey, c store.Published) (store.Usage, error) {
	if err := p.call(ctx); err != nil {
		return store.Usage{}, err
	}
	u, err := p.Store.Publish(ctx, k, c)
	if curve, broken := predictor.Decode(c.Data); err == nil && broken == nil {
		p.mu.Lock()
		p.published = append(p.published, curve.Meta().AsOf)
		p.mu.Unlock()
		if p.onPublish != nil {
			p.onPublish()
		}
	}
	return u, err
}

func (p *pod) Renew(ctx context.Context, l store.Lease, now time.Time, ttl time.Duration) (store.Lease, error) {
	if err := p.call(ctx); err != nil {
		return l, err
	}
	if p.estranged.Load() {
		return l, store.ErrUnavailable
	}
	return p.Store.Renew(ctx, l, now, ttl)
}

func (p *pod) Release(ctx context.Context, l store.Lease) error {
	if err := p.call(ctx); err != nil {
		return err
	}
	return p.Store.Release(ctx, l)
}

func (p *pod) saved() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.saves)
}

// walked is the checkpoint that is stored of a column; none: nothing.
func walked(t *testing.T, st store.Store, key store.CurveKey) []byte {
	t.Helper()
	key.Column += "/walk"
	data, _, err := st.State(context.Background(), key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return data
}

// leave puts a checkpoint there.
func leave(t *testing.T, st store.Store, key store.CurveKey, data []byte) {
	t.Helper()
	key.Column += "/walk"
	if _, err := st.SaveState(context.Background(), key, data); err != nil {
		t.Fatal(err)
	}
}

// begun is a refresh under way.
type begun struct {
	*pod
	at    time.Time
	end   context.CancelFunc
	ended chan error
}

// begin starts a refresh that takes minutes.
func begin(st store.Store, b store.Board, wait time.Duration, o jobs.Options) begun {
	ctx, end := context.WithCancel(context.Background())
	r := begun{pod: &pod{Store: st, wait: wait}, at: time.Now(), end: end, ended: make(chan error, 1)}
	go func() {
		_, err := jobs.Refresher{Store: r.pod, Holder: "first"}.Refresh(ctx, b, "", o)
		r.ended <- err
	}()
	return r
}

// kill ends the process: nothing is carried out any more.
func (r begun) kill(t *testing.T) {
	t.Helper()
	r.dead.Store(true)
	if err := <-r.ended; !errors.Is(err, errKilled) {
		t.Fatalf("it ended with %v", err)
	}
	r.end()
}

// still is a synthetic board of half a million entries that does not change.
func still(t *testing.T) (store.Store, store.Board, store.CurveKey) {
	t.Helper()
	st := large(t, new(atomic.Int64))
	b, err := st.Board(context.Background(), "large")
	if err != nil {
		t.Fatal(err)
	}
	return st, b, b.CurveKey("xp")
}

// The options of refreshes that are worth going on with.
var (
	countAll  = jobs.Options{Method: sampler.Counted, Head: 1000}
	walkSome  = jobs.Options{Method: sampler.Counted, Head: 1000, Shards: 10}
	forLeases = 61 * time.Second
)

// What a killed refresh has walked is gone on with by the next holder of the lease. On a
// board at rest the curve is byte for byte that of a refresh that was not killed, and the
// checkpoint is gone with it.
func TestAKilledRefreshIsGoneOnWithByTheNextHolder(t *testing.T) {
	for name, tc := range map[string]struct {
		store   func(t *testing.T) (store.Store, store.Board, store.CurveKey)
		options jobs.Options
		wait    time.Duration // for a page
	}{
		"counted": {still, countAll, 1500 * time.Millisecond},
		"full":    {still, jobs.Options{Method: sampler.Counted, Head: 1000, Full: true}, 1500 * time.Millisecond},
		"counted on bolt": {func(t *testing.T) (store.Store, store.Board, store.CurveKey) {
			t.Helper()
			return newGames(t, 100_000), games, gamesKey
		}, jobs.Options{Method: sampler.Counted, Head: 500}, 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, b, key := tc.store(t)
				first := begin(st, b, tc.wait, tc.options)
				time.Sleep(135 * time.Second)
				first.kill(t)
				if len(first.saved()) == 0 {
					t.Fatal("nothing was saved")
				}
				time.Sleep(forLeases)
				second := &pod{Store: st}
				report, err := jobs.Refresher{Store: second, Holder: "second"}.Refresh(context.Background(), b, "", tc.options)
				if err != nil {
					t.Fatal(err)
				}

				other, _, _ := tc.store(t)
				whole, err := jobs.Refresher{Store: other, Holder: "alone", Now: func() time.Time { return first.at }}.Refresh(context.Background(), b, "", tc.options)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: a checkpoint of %d bytes; %d of %d counts resumed: %s, and %s for all", name, slices.Max(first.saved()), report.Resumed, report.ResumedOf, report.Usage, whole.Usage)
				if !report.AsOf.Equal(first.at) || report.Generation != 1 || report.Resumed < report.ResumedOf/10 || report.Usage.ReadUnits() > 0.9*whole.Usage.ReadUnits() {
					t.Errorf("generation %d as of %v; %d of %d counts resumed, %s of %s", report.Generation, report.AsOf, report.Resumed, report.ResumedOf, report.Usage, whole.Usage)
				}
				got, _, _ := st.Curve(context.Background(), key)
				want, _, _ := other.Curve(context.Background(), key)
				if !bytes.Equal(got.Data, want.Data) {
					t.Errorf("the curve has %d bytes and is not that of a refresh that was not killed", len(got.Data))
				}
				if left := walked(t, st, key); len(left) > 0 {
					t.Errorf("%d bytes of the walk are left", len(left))
				}
				if sizes := second.saved(); len(sizes) == 0 || sizes[len(sizes)-1] != 0 {
					t.Errorf("saved %v", sizes)
				}
				again, err := jobs.Refresher{Store: st, Holder: "second"}.Refresh(context.Background(), b, "", tc.options)
				if err != nil || again.Resumed != 0 || again.Generation != 2 || !again.AsOf.After(report.AsOf) {
					t.Errorf("the next: generation %d, %d resumed: %v", again.Generation, again.Resumed, err)
				}
			})
		})
	}
}

// A refresh that is given up saves what it has walked, the shards that are done of one that
// walks some.
func TestShardsOfARefreshThatIsGivenUpAreTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, b, _ := still(t)
		r := jobs.Refresher{Store: st, Holder: "second"}
		for range 2 {
			if _, err := r.Refresh(context.Background(), b, "", walkSome); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		first := begin(&slowShards{Store: st, wait: 10 * time.Second}, b, 0, walkSome)
		time.Sleep(50 * time.Second) // the first is read in two pages, and then eight at once
		first.end()
		if err := <-first.ended; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		report, err := r.Refresh(context.Background(), b, "", walkSome)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("a checkpoint of %v bytes; %d of %d shards resumed: %s", first.saved(), report.Resumed, report.ResumedOf, report.Usage)
		if report.Method != sampler.Rolling || report.Walked != 10 || report.ResumedOf != 10 || report.Resumed < 5 || !report.AsOf.Equal(time.Now()) {
			t.Errorf("%s of %d shards, %d of %d resumed, as of %v", report.Method, report.Walked, report.Resumed, report.ResumedOf, report.AsOf)
		}
	})
}

// slowShards take long to be read as a whole.
type slowShards struct {
	store.Store
	wait time.Duration
}

func (s *slowShards) Rows(ctx context.Context, q store.Query) (store.Page, error) {
	if q.Limit == 0 {
		if err := sleeping(ctx, s.wait); err != nil {
			return store.Page{}, err
		}
	}
	return s.Store.Rows(ctx, q)
}

// What is not for this refresh is not gone on with: it walks anew, and clears it away.
func TestWhatIsOfNoUseIsNotGoneOnWith(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, st store.Store, b store.Board, key store.CurveKey, o *jobs.Options){
		"too old": func(*testing.T, store.Store, store.Board, store.CurveKey, *jobs.Options) {
			time.Sleep(11 * time.Minute)
		},
		"too old by an option": func(_ *testing.T, _ store.Store, _ store.Board, _ store.CurveKey, o *jobs.Options) {
			o.ResumeWithin = 30 * time.Second
		},
		"damaged": func(t *testing.T, st store.Store, _ store.Board, key store.CurveKey, _ *jobs.Options) {
			t.Helper()
			data := walked(t, st, key)
			data[len(data)/2] ^= 1
			leave(t, st, key, data)
		},
		"of a full refresh": func(_ *testing.T, _ store.Store, _ store.Board, _ store.CurveKey, o *jobs.Options) { o.Full = true },
		"of a refresh of some shards": func(_ *testing.T, _ store.Store, _ store.Board, _ store.CurveKey, o *jobs.Options) {
			o.Shards = 4
		},
		"saved by a process that was stopped, after its successor had published": func(t *testing.T, st store.Store, b store.Board, key store.CurveKey, o *jobs.Options) {
			t.Helper()
			late := walked(t, st, key)
			report, err := jobs.Refresher{Store: st, Holder: "successor"}.Refresh(context.Background(), b, "", *o)
			if err != nil || report.Resumed == 0 {
				t.Fatal(report.Resumed, err)
			}
			leave(t, st, key, late)
		},
		"older than a curve whose generation was set back": func(t *testing.T, st store.Store, _ store.Board, key store.CurveKey, _ *jobs.Options) {
			t.Helper()
			curve, data, err := predictor.Empty(predictor.Meta{Board: key.Board, Column: key.Column, Generation: 0, AsOf: time.Now()})
			if err != nil || curve.Total() != 0 {
				t.Fatal(err)
			}
			if _, err := st.Publish(context.Background(), key, store.Published{Generation: 0, Data: data}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, b, key := still(t)
				first := begin(st, b, 1500*time.Millisecond, countAll)
				time.Sleep(100 * time.Second)
				first.kill(t)
				time.Sleep(forLeases)
				o := countAll
				spoil(t, st, b, key, &o)
				var log bytes.Buffer
				began := time.Now()
				report, err := jobs.Refresher{Store: st, Holder: "second", Log: slog.New(slog.NewTextHandler(&log, nil))}.Refresh(context.Background(), b, "", o)
				if err != nil || report.Resumed != 0 || report.AsOf.Before(began) {
					t.Errorf("%d resumed, as of %v: %v", report.Resumed, report.AsOf, err)
				}
				if left := walked(t, st, key); len(left) > 0 {
					t.Errorf("%d bytes are left", len(left))
				}
				if warned := strings.Contains(log.String(), "walking anew"); warned != (name == "damaged") {
					t.Errorf("log: %s", log.String())
				}
			})
		})
	}
}

// A process that has lost its lease leaves the checkpoint to its successor.
func TestWhoHasLostTheLeaseSavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, b, key := still(t)
		first := begin(hesitant{st}, b, 3*time.Second, countAll) // saves at 16 s, 26 s ..., and renews at 20 s, 40 s ...
		time.Sleep(75 * time.Second)
		first.estranged.Store(true)
		time.Sleep(82 * time.Second)
		if _, err := st.Acquire(context.Background(), "refresh/large.xp", "successor", time.Now(), time.Hour); err != nil {
			t.Fatal(err)
		}
		saved := len(first.saved())
		if saved == 0 {
			t.Fatal("nothing was saved before")
		}
		leave(t, st, key, []byte("the successor's"))
		first.estranged.Store(false)
		if err := <-first.ended; !errors.Is(err, store.ErrLost) {
			t.Errorf("it ended with %v", err)
		}
		if took := time.Since(first.at); took > 161*time.Second {
			t.Errorf("it ended after %v", took)
		}
		if data := walked(t, st, key); string(data) != "the successor's" || len(first.saved()) != saved {
			t.Errorf("%d bytes of another's were saved", len(data))
		}
	})
}

// hesitant takes its time to read a state.
type hesitant struct{ store.Store }

func (h hesitant) State(ctx context.Context, k store.CurveKey) ([]byte, store.Usage, error) {
	if err := sleeping(ctx, 3*time.Second); err != nil {
		return nil, store.Usage{}, err
	}
	return h.Store.State(ctx, k)
}

// That a checkpoint cannot be saved or read is a warning, and no failure.
func TestARefreshNeedsNoCheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, b, _ := still(t)
		p := &pod{Store: st, wait: 500 * time.Millisecond}
		p.unsaved.Store(true)
		var log bytes.Buffer
		report, err := jobs.Refresher{Store: blind{p}, Holder: "a", Log: slog.New(slog.NewTextHandler(&log, nil))}.Refresh(context.Background(), b, "", countAll)
		if err != nil || report.Generation != 1 {
			t.Fatal(report.Generation, err)
		}
		for _, want := range []string{"cannot be read, walking anew", "what is walked so far is not kept", "what was walked is not deleted", "msg=refreshed"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("no %q in the log:\n%s", want, log.String())
			}
		}
	})
}

// blind cannot read checkpoints.
type blind struct{ *pod }

func (u blind) State(ctx context.Context, k store.CurveKey) ([]byte, store.Usage, error) {
	if strings.HasSuffix(k.Column, "/walk") {
		return nil, store.Usage{}, fmt.Errorf("on purpose: %w", store.ErrUnavailable)
	}
	return u.pod.State(ctx, k)
}

// A small walk is not worth a checkpoint: to write one costs more than to walk again.
func TestSmallWalksAreNotSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newGames(t, 5000)
		p := &pod{Store: st, wait: 20 * time.Second}
		if _, err := (jobs.Refresher{Store: p, Holder: "a"}).Refresh(context.Background(), games, "", jobs.Options{Method: sampler.Counted, Head: 1000}); err != nil {
			t.Fatal(err)
		}
		if len(p.saved()) > 0 {
			t.Errorf("saved %v", p.saved())
		}
	})
}

// On DynamoDB too, across processes: the second goes on where the first was killed.
func TestAKilledRefreshIsGoneOnWithOnDynamoDB(t *testing.T) {
	board := store.Board{Name: "games", Shards: 16, Columns: []store.Column{{Name: "score", Order: store.Desc, Operator: store.Set}}}
	st, client, table := openDynamo(t, servers.DynamoDB(t), board)
	keys := datasets[3].generate(20_000)
	putItems(t, client, table, board, keys)
	first := &pod{Store: st, wait: 10 * time.Millisecond}
	o := jobs.Options{Method: sampler.Counted, Head: 300}
	first.onSave = func() { first.dead.Store(true) }
	_, err := jobs.Refresher{Store: first, Holder: "first", LeaseTTL: 300 * time.Millisecond}.Refresh(context.Background(), board, "", o)
	if !errors.Is(err, errKilled) || len(first.saved()) != 1 {
		t.Fatalf("it ended with %v, and saved %v", err, first.saved())
	}
	report, err := jobs.Refresher{Store: st, Holder: "second"}.Refresh(context.Background(), board, "", o)
	for ; errors.Is(err, store.ErrHeld); report, err = (jobs.Refresher{Store: st, Holder: "second"}).Refresh(context.Background(), board, "", o) {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, err := jobs.Refresher{Store: st, Holder: "second"}.Refresh(context.Background(), board, "", jobs.Options{Method: sampler.Counted, Head: 300, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a checkpoint of %v bytes; %d of %d counts resumed: %s, and %s for all", first.saved(), report.Resumed, report.ResumedOf, report.Usage, whole.Usage)
	if report.Entries != int64(len(keys)) || report.Resumed == 0 || whole.Resumed != 0 || report.Usage.ReadUnits() > 0.95*whole.Usage.ReadUnits() {
		t.Errorf("%d entries; %d counts resumed, %s of %s", report.Entries, report.Resumed, report.Usage, whole.Usage)
	}
	if left := walked(t, st, board.CurveKey("score")); len(left) > 0 {
		t.Errorf("%d bytes of the walk are left", len(left))
	}
}
