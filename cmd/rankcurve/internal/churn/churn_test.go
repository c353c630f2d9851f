package churn

import (
	"math"
	"slices"
	"testing"
)

const owners = 100_000

func of(m Model, b Board) *Population { return New(m, b, owners, 1) }

func TestBoards(t *testing.T) {
	for _, b := range Boards() {
		p := of(Calm, b)
		sorted := slices.Clone(p.scores)
		slices.Sort(sorted)
		median := float64(sorted[owners/2])
		least, most := math.Exp(9)*0.97, math.Exp(9)*1.03
		shared := 0
		for _, s := range sorted {
			if s == AtomScore {
				shared++
			}
		}
		switch b {
		case Elo:
			least, most = 1497, 1503
		case Atom: // two sevenths of those above the middle of all are below the others' middle
			least, most = math.Exp(9-1.5*0.5660)*0.96, math.Exp(9-1.5*0.5660)*1.04
			if math.Abs(float64(shared)/owners-AtomShare) > 0.006 {
				t.Errorf("%s: %d of %d owners share a score", b, shared, owners)
			}
		}
		if median < least || median > most {
			t.Errorf("%s: median %.0f, not in %.0f..%.0f", b, median, least, most)
		}
		if b != Atom && shared > owners/100 {
			t.Errorf("%s: %d owners share a score", b, shared)
		}
	}
}

// What a step says of who has changed is what a comparison with the scores before says.
func TestStepsTellWhoHasChanged(t *testing.T) {
	for _, m := range Models() {
		p := New(m, Lognormal, 10_000, 1)
		for tick := 1; tick <= BurstEvery; tick++ {
			before := slices.Clone(p.scores)
			changed := p.Step()
			var found []int
			for owner, score := range p.scores {
				if owner >= len(before) || score != before[owner] {
					found = append(found, owner)
				}
			}
			// Two changes that take each other back are possible, but not with gains.
			if !slices.Equal(changed, found) {
				t.Fatalf("%s, tick %d: %d owners are said to have changed, %d have", m, tick, len(changed), len(found))
			}
		}
	}
}

func TestModels(t *testing.T) {
	near := func(got int, share float64) bool {
		return math.Abs(float64(got)/owners-share) < 0.06*share
	}
	for _, c := range []struct {
		model    Model
		tick     int
		changing float64
		growing  float64
	}{
		{Calm, 1, CalmShare, 0},
		{Busy, 1, BusyShare, 0},
		{Season, 1, SeasonShare, 0},
		{Growth, 1, CalmShare + GrowthShare, GrowthShare},
		{Bursts, 1, 0, 0},
		{Bursts, BurstEvery, BurstShare, 0},
		{Bursts, BurstEvery + 1, 0, 0},
		{Decay, 1, 1, 0},
	} {
		p := of(c.model, Lognormal)
		var changed []int
		for range c.tick {
			changed = p.Step()
		}
		if !near(len(changed), c.changing) && len(changed) > 0 || c.changing > 0 && len(changed) == 0 {
			t.Errorf("%s, tick %d: %d of %d changed, want %.1f %%", c.model, c.tick, len(changed), owners, 100*c.changing)
		}
		if grown := p.Len() - owners; grown != int(c.growing*owners) {
			t.Errorf("%s: %d newcomers", c.model, grown)
		}
	}
}

func TestGainsAndDecay(t *testing.T) {
	p := of(Calm, Lognormal)
	before := slices.Clone(p.scores)
	var sum float64
	changed := p.Step()
	for _, owner := range changed {
		gain := float64(p.Score(owner))/float64(before[owner]) - 1
		if gain <= 0 || gain > 1.25 { // two gains of one owner
			t.Errorf("owner %d gained %.2f", owner, gain)
		}
		sum += gain
	}
	if mean := sum / float64(len(changed)); math.Abs(mean-MostGain/2) > 0.02 {
		t.Errorf("the mean gain is %.3f, want %.3f", mean, MostGain/2)
	}
	p = of(Decay, Lognormal)
	first, elo := p.Score(0), of(Decay, Elo)
	rating := elo.Score(0)
	for range 10 {
		p.Step()
		elo.Step()
	}
	if want := float64(first) * math.Pow(1-DecayShare, 10); math.Abs(float64(p.Score(0))-want) > 6 {
		t.Errorf("%d has fallen to %d in 10 ticks, want %.0f", first, p.Score(0), want)
	}
	if want := rating - 10*DecayShare*EloSpread; elo.Score(0) != want {
		t.Errorf("a rating of %d has fallen to %d in 10 ticks, want %d", rating, elo.Score(0), want)
	}
}

func TestTheSameSeedGivesTheSameScores(t *testing.T) {
	for _, m := range Models() {
		a, b, other := New(m, Atom, 5000, 7), New(m, Atom, 5000, 7), New(m, Atom, 5000, 8)
		for range BurstEvery {
			a.Step()
			b.Step()
			other.Step()
		}
		if !slices.Equal(a.scores, b.scores) {
			t.Errorf("%s: two runs with one seed differ", m)
		}
		if slices.Equal(a.scores, other.scores) {
			t.Errorf("%s: two seeds give the same scores", m)
		}
	}
}

func TestNames(t *testing.T) {
	for _, b := range Boards() {
		if got, err := ParseBoard(string(b)); got != b || err != nil {
			t.Errorf("board %s is read as %q, %v", b, got, err)
		}
	}
	for _, m := range Models() {
		if got, err := ParseModel(string(m)); got != m || err != nil || m.Text() == "" {
			t.Errorf("model %s is read as %q (%s), %v", m, got, got.Text(), err)
		}
	}
	if _, err := ParseBoard("zipf"); err == nil {
		t.Error("board zipf is accepted")
	}
	if _, err := ParseModel("g"); err == nil {
		t.Error("model g is accepted")
	}
}
