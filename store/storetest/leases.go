package storetest

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rankcurve/rankcurve/store"
)

var leaseSentences = []sentence{
	{"Acquire takes a free lease until now plus ttl", acquireFree},
	{"Acquire of a held lease is ErrHeld and names the holder and the expiry", acquireHeld},
	{"Acquire takes an expired lease with a larger fence", acquireExpired},
	{"Acquire takes a released lease with a larger fence", acquireReleased},
	{"Acquire takes the caller's own lease with a larger fence", acquireOwn},
	{"Acquire at once by many is given to one", acquireRace},
	{"Acquire keeps names apart", acquireApart},
	{"Renew prolongs a lease", renewProlongs},
	{"Renew prolongs an expired lease that no other took", renewExpired},
	{"Renew of a lease that another took is ErrLost", renewLost},
	{"Renew of a lease that never was is ErrLost", renewUnknown},
	{"Release gives the lease up at once", releaseGivesUp},
	{"Release of a lease that another took is ErrLost and stays", releaseLost},
}

const ttl = time.Minute

var noon = time.UnixMilli(1795219200000).UTC()

func (f *fixture) acquire(holder string, now time.Time) store.Lease {
	f.Helper()
	l, err := f.Acquire(f.ctx, "refresh", holder, now, ttl)
	if err != nil {
		f.Fatalf("acquire for %s: %v", holder, err)
	}
	if l.Name != "refresh" || l.Holder != holder || !l.Expires.Equal(now.Add(ttl)) {
		f.Errorf("lease %+v, want it for %s until %s", l, holder, now.Add(ttl))
	}
	return l
}

func (f *fixture) wantHeld(holder string, now time.Time) {
	f.Helper()
	_, err := f.Acquire(f.ctx, "refresh", holder, now, ttl)
	f.wantError(err, store.ErrHeld)
}

func (f *fixture) wantGrown(before, after store.Lease) {
	f.Helper()
	if after.Fence <= before.Fence {
		f.Errorf("fence %d after %d, want a larger one", after.Fence, before.Fence)
	}
}

func acquireFree(f *fixture) {
	if l := f.acquire("a", noon); l.Fence < 1 {
		f.Errorf("fence %d, want 1 or more", l.Fence)
	}
}

func acquireHeld(f *fixture) {
	f.acquire("worker-a", noon)
	f.wantHeld("b", noon)
	f.wantHeld("b", noon.Add(ttl-time.Second))
	f.wantHeld("b", noon.Add(-time.Hour)) // a clock that runs behind
	_, err := f.Acquire(f.ctx, "refresh", "b", noon, ttl)
	if err == nil || !strings.Contains(err.Error(), "worker-a") || !strings.Contains(err.Error(), noon.Add(ttl).Format("15:04")) {
		f.Errorf("error %v does not name the holder and the expiry", err)
	}
}

func acquireExpired(f *fixture) {
	a := f.acquire("a", noon)
	b := f.acquire("b", noon.Add(ttl+time.Second))
	f.wantGrown(a, b)
	f.wantHeld("a", noon.Add(ttl+time.Second))
}

func acquireReleased(f *fixture) {
	a := f.acquire("a", noon)
	f.must(f.Release(f.ctx, a))
	b := f.acquire("b", noon)
	f.wantGrown(a, b)
	f.must(f.Release(f.ctx, b))
	f.wantGrown(b, f.acquire("a", noon))
}

func acquireOwn(f *fixture) {
	first := f.acquire("a", noon)
	second := f.acquire("a", noon.Add(time.Second))
	f.wantGrown(first, second)
	_, err := f.Renew(f.ctx, first, noon, ttl)
	f.wantError(err, store.ErrLost) // the earlier taking was overtaken
}

func acquireRace(f *fixture) {
	for round := range 4 {
		var taken atomic.Int64
		var wg sync.WaitGroup
		now := noon.Add(time.Duration(round) * time.Hour)
		for i := range 16 {
			wg.Go(func() {
				_, err := f.Acquire(f.ctx, "refresh", string(rune('a'+i)), now, ttl)
				if err == nil {
					taken.Add(1)
				} else {
					f.wantError(err, store.ErrHeld)
				}
			})
		}
		wg.Wait()
		if taken.Load() != 1 {
			f.Errorf("round %d: %d of 16 hold the lease", round, taken.Load())
		}
	}
}

func acquireApart(f *fixture) {
	f.acquire("a", noon)
	if _, err := f.Acquire(f.ctx, "audit", "b", noon, ttl); err != nil {
		f.Error(err)
	}
}

func (f *fixture) renew(l store.Lease, now time.Time) store.Lease {
	f.Helper()
	renewed, err := f.Renew(f.ctx, l, now, ttl)
	if err != nil {
		f.Fatalf("renew: %v", err)
	}
	if renewed.Fence != l.Fence || renewed.Holder != l.Holder || renewed.Name != l.Name || !renewed.Expires.Equal(now.Add(ttl)) {
		f.Errorf("renewed %+v of %+v, want it until %s", renewed, l, now.Add(ttl))
	}
	return renewed
}

func renewProlongs(f *fixture) {
	l := f.acquire("a", noon)
	f.renew(f.renew(l, noon.Add(30*time.Second)), noon.Add(50*time.Second))
	f.wantHeld("b", noon.Add(100*time.Second))
	f.acquire("b", noon.Add(120*time.Second))
}

func renewExpired(f *fixture) {
	l := f.acquire("a", noon)
	f.renew(l, noon.Add(time.Hour))
	f.wantHeld("b", noon.Add(time.Hour))
}

func renewLost(f *fixture) {
	a := f.acquire("a", noon)
	b := f.acquire("b", noon.Add(time.Hour))
	_, err := f.Renew(f.ctx, a, noon.Add(time.Hour), ttl)
	f.wantError(err, store.ErrLost)
	f.renew(b, noon.Add(time.Hour+time.Second))
}

func renewUnknown(f *fixture) {
	_, err := f.Renew(f.ctx, store.Lease{Name: "refresh", Holder: "a", Fence: 1}, noon, ttl)
	f.wantError(err, store.ErrLost)
	f.acquire("b", noon)
}

func releaseGivesUp(f *fixture) {
	a := f.acquire("a", noon)
	f.wantHeld("b", noon)
	f.must(f.Release(f.ctx, a))
	f.acquire("b", noon)
}

func releaseLost(f *fixture) {
	a := f.acquire("a", noon)
	late := noon.Add(time.Hour)
	f.acquire("b", late)
	f.wantError(f.Release(f.ctx, a), store.ErrLost)
	f.wantHeld("c", late)
}
