package storetest

import (
	"bytes"
	"sync"

	"github.com/rankcurve/rankcurve/store"
)

var curveSentences = []sentence{
	{"Curve that is not there is ErrNotFound", curveMissing},
	{"Curve reads what was published", curveReads},
	{"Publish of a larger generation replaces", publishLarger},
	{"Publish of another generation is ErrStale and the old one stays", publishStale},
	{"Publish at once by many keeps the newest", publishRace},
	{"Publish keeps columns and boards apart", publishApart},
	{"State that is not there is ErrNotFound", stateMissing},
	{"State reads what SaveState last stored", stateReads},
	{"curves and states are priced by their size", curveCosts},
}

func (f *fixture) key() store.CurveKey { return f.board.CurveKey("xp") }

func (f *fixture) publish(k store.CurveKey, generation int64, data string) error {
	_, err := f.Publish(f.ctx, k, store.Published{Generation: generation, Data: []byte(data)})
	return err
}

func (f *fixture) wantCurve(k store.CurveKey, generation int64, data string) {
	f.Helper()
	p, _, err := f.Curve(f.ctx, k)
	if err != nil || p.Generation != generation || string(p.Data) != data {
		f.Errorf("curve %s: generation %d, %q, %v; want generation %d, %q", k, p.Generation, p.Data, err, generation, data)
	}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func curveMissing(f *fixture) {
	_, _, err := f.Curve(f.ctx, f.key())
	f.wantError(err, store.ErrNotFound)
}

func curveReads(f *fixture) {
	data := make([]byte, 16384)
	for i := range data {
		data[i] = byte(i * 7)
	}
	f.must(f.publish(f.key(), 3, string(data)))
	f.wantCurve(f.key(), 3, string(data))
	p, _, err := f.Curve(f.ctx, f.key())
	f.must(err)
	clear(p.Data) // the caller's own
	f.wantCurve(f.key(), 3, string(data))
}

func publishLarger(f *fixture) {
	f.must(f.publish(f.key(), 1, "one"))
	f.must(f.publish(f.key(), 2, "two"))
	f.must(f.publish(f.key(), 100, "hundred"))
	f.must(f.publish(f.key(), 1<<40, "more"))
	f.wantCurve(f.key(), 1<<40, "more")
}

func publishStale(f *fixture) {
	f.must(f.publish(f.key(), 10, "ten"))
	for _, generation := range []int64{10, 9, 2, 1} {
		f.wantError(f.publish(f.key(), generation, "old"), store.ErrStale)
	}
	f.wantCurve(f.key(), 10, "ten")
}

func publishRace(f *fixture) {
	var wg sync.WaitGroup
	for i := range int64(16) {
		wg.Go(func() {
			if err := f.publish(f.key(), i+1, string(rune('a'+i))); err != nil {
				f.wantError(err, store.ErrStale)
			}
		})
	}
	wg.Wait()
	f.wantCurve(f.key(), 16, "p")
}

func publishApart(f *fixture) {
	other, elsewhere := f.key(), f.key()
	other.Column, elsewhere.Board = "time", "missions:2026-W47"
	f.must(f.publish(f.key(), 5, "xp"))
	f.must(f.publish(other, 2, "time"))
	f.must(f.publish(elsewhere, 1, "week"))
	f.wantCurve(f.key(), 5, "xp")
	f.wantCurve(other, 2, "time")
	f.wantCurve(elsewhere, 1, "week")
}

func stateMissing(f *fixture) {
	f.must(f.publish(f.key(), 1, "a curve is no state"))
	_, _, err := f.State(f.ctx, f.key())
	f.wantError(err, store.ErrNotFound)
}

func stateReads(f *fixture) {
	for _, state := range [][]byte{[]byte("first"), {}, {0, 1, 255}, nil, bytes.Repeat([]byte("s"), 50_000), []byte("x")} {
		_, err := f.SaveState(f.ctx, f.key(), state)
		f.must(err)
		got, _, err := f.State(f.ctx, f.key())
		f.must(err)
		if !bytes.Equal(got, state) {
			f.Errorf("state of %d bytes, want %d", len(got), len(state))
		}
	}
	_, _, err := f.Curve(f.ctx, f.key())
	f.wantError(err, store.ErrNotFound)
}

func curveCosts(f *fixture) {
	data := bytes.Repeat([]byte("x"), 40_000)
	u, err := f.Publish(f.ctx, f.key(), store.Published{Generation: 1, Data: data})
	f.must(err)
	if !about(u.WriteUnits(), 40) {
		f.Errorf("publish used %+v, want about 40 writes", u)
	}
	u, err = f.SaveState(f.ctx, f.key(), data)
	f.must(err)
	if !about(u.WriteUnits(), 40) {
		f.Errorf("save state used %+v, want about 40 writes", u)
	}
	_, read, err := f.Curve(f.ctx, f.key())
	f.must(err)
	_, state, err := f.State(f.ctx, f.key())
	f.must(err)
	for what, u := range map[string]store.Usage{"curve": read, "state": state} {
		if u.ReadUnits() < 4 || u.ReadUnits() > 12 || u.WriteUnits() != 0 {
			f.Errorf("%s used %+v, want 5 to 10 reads", what, u)
		}
	}
}
