package sampler_test

import (
	"context"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/rankcurve/rankcurve/sampler"
	"github.com/rankcurve/rankcurve/sampler/internal/statepb"
	"github.com/rankcurve/rankcurve/store"
)

// checkpoints are one of each kind, encoded.
func checkpoints(t *testing.T, s *season) map[string][]byte {
	t.Helper()
	kept := map[string][]byte{}
	for name, o := range map[string]sampler.Options{
		"counted": {Method: sampler.Counted, Head: 100},
		"rolling": {Method: sampler.Counted, Head: 100, Shards: 3},
	} {
		requests := 40
		if o.Shards > 0 {
			requests = 10
		}
		l := s.live(s.store(), dawn, o, nil, requests)
		data, err := l.kept.Encode()
		if err != nil {
			t.Fatal(err)
		}
		kept[name] = data
	}
	return kept
}

func TestADamagedCheckpointIsNone(t *testing.T) {
	s := newSeason(t, 8, draw(5000, lognormal))
	s.walk(-1, sampler.Options{Method: sampler.Counted, Head: 100, Shards: 3})
	for name, data := range checkpoints(t, s) {
		if _, err := sampler.DecodeCheckpoint(data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range data {
			damaged := append([]byte(nil), data...)
			damaged[i] ^= 1 << (i % 8)
			if _, err := sampler.DecodeCheckpoint(damaged); !errors.Is(err, store.ErrCorrupt) {
				t.Fatalf("%s: with byte %d of %d damaged: %v", name, i, len(data), err)
			}
			if _, err := sampler.DecodeCheckpoint(data[:i]); !errors.Is(err, store.ErrCorrupt) {
				t.Fatalf("%s: cut off after %d of %d bytes: %v", name, i, len(data), err)
			}
		}
	}
}

// What another program has sealed is either refused or can be gone on with: it may make a
// curve wrong, and never a walk fail.
func TestWhateverIsSealedIsRefusedOrGoneOnWith(t *testing.T) {
	s := newSeason(t, 8, draw(5000, lognormal))
	s.walk(-1, sampler.Options{Method: sampler.Counted, Head: 100, Shards: 3})
	random := rand.New(rand.NewPCG(7, 7))
	for name, data := range checkpoints(t, s) {
		var sealed statepb.SealedCheckpoint
		if err := proto.Unmarshal(data, &sealed); err != nil {
			t.Fatal(err)
		}
		refused, walked := 0, 0
		for range 3000 {
			inner := append([]byte(nil), sealed.Checkpoint...)
			for range 1 + random.IntN(3) {
				inner[random.IntN(len(inner))] = byte(random.IntN(256))
			}
			again, err := proto.Marshal(&statepb.SealedCheckpoint{Crc32C: crc32.Checksum(inner, crc32.MakeTable(crc32.Castagnoli)), Checkpoint: inner})
			if err != nil {
				t.Fatal(err)
			}
			c, err := sampler.DecodeCheckpoint(again)
			if err != nil {
				if !errors.Is(err, store.ErrCorrupt) {
					t.Fatal(err)
				}
				refused++
				continue
			}
			if walked++; walked%50 != 0 { // they take their time
				continue
			}
			o := sampler.Options{Method: sampler.Counted, Head: 100, AsOf: dawn.Add(time.Minute), Resume: &c}
			if name == "rolling" {
				o.Shards = 3
			}
			if _, err := sampler.New(s.store(), s.board, column, o).Walk(context.Background(), s.state); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		t.Logf("%s: %d refused, %d gone on with", name, refused, walked)
	}
}

// Of shards that are counted, for they have too many rows to be read, those that were
// counted whole are kept.
func TestLargeShardsThatWereCountedAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("holds a million keys; run without -short")
	}
	s := newSeason(t, 4, draw(900_000, lognormal))
	o := sampler.Options{Method: sampler.Counted, Head: 1000, Shards: 2, Full: true, Fraction: 0.2}
	whole := s.live(s.store(), dawn, o, nil, never)
	stopped := s.live(s.store(), dawn, o, nil, whole.requests()/2)
	rest := s.live(s.store(), dawn, o, stopped.kept, never)
	each := whole.counts / 3 // the fourth is the pilot
	if rest.err != nil || each < 20 || rest.shards != 0 || rest.walk.Resumed != 2 || rest.counts != 2*each {
		t.Fatalf("%d shards resumed, %d counted in %d requests, of %d: %v", rest.walk.Resumed, rest.walk.Walked, rest.counts, whole.counts, rest.err)
	}
	for i, p := range rest.walk.Points {
		if p != whole.walk.Points[i] {
			t.Fatalf("point %d is %+v, want %+v", i, p, whole.walk.Points[i])
		}
	}
}
