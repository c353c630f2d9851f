package memcache_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
	"github.com/rankcurve/rankcurve/store/storetest"
)

func TestContract(t *testing.T) {
	srv := startServer(t)
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()
		f := &faults{}
		c := dial(t, srv.addr, memcache.OnFault(f.add))
		t.Cleanup(func() { f.none(t) })
		return &enveloped{memcache.Wrap(newInner(t), c, t.Name())}
	})
}

// enveloped makes the suite's curves, which are any bytes, into envelopes that say
// their names and generation, so that they do go through memcached. And it charges
// a hit, which costs nothing, like a read of the durable copy, whose price list the
// suite knows.
type enveloped struct{ *memcache.Store }

const payload = 1000 // the number of a field that curves do not have

func (e *enveloped) Publish(ctx context.Context, k store.CurveKey, p store.Published) (store.Usage, error) {
	var curve, envelope []byte
	for number, value := range map[protowire.Number][]byte{2: []byte(k.Board), 3: []byte(k.Column), payload: p.Data} {
		curve = protowire.AppendBytes(protowire.AppendTag(curve, number, protowire.BytesType), value)
	}
	curve = protowire.AppendVarint(protowire.AppendTag(curve, 6, protowire.VarintType), uint64(p.Generation))
	sum := crc32.Checksum(curve, crc32.MakeTable(crc32.Castagnoli))
	envelope = protowire.AppendFixed32(protowire.AppendTag(envelope, 1, protowire.Fixed32Type), sum)
	envelope = protowire.AppendBytes(protowire.AppendTag(envelope, 2, protowire.BytesType), curve)
	return e.Store.Publish(ctx, k, store.Published{Generation: p.Generation, Data: envelope})
}

func (e *enveloped) Curve(ctx context.Context, k store.CurveKey) (store.Published, store.Usage, error) {
	p, usage, err := e.Store.Curve(ctx, k)
	if err != nil {
		return p, usage, err
	}
	if usage == (store.Usage{}) {
		usage = store.Usage{TableReads: store.ItemReadUnits(len(p.Data), true), Requests: 1}
	}
	envelope, err := lastBytes(p.Data, 2)
	if err == nil {
		p.Data, err = lastBytes(envelope, payload)
	}
	return p, usage, err
}

// lastBytes finds a field of bytes in a message.
func lastBytes(message []byte, wanted protowire.Number) (value []byte, err error) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		size := protowire.ConsumeFieldValue(number, kind, message[max(n, 0):])
		if n < 0 || size < 0 {
			return nil, fmt.Errorf("%d bytes are no message", len(message))
		}
		if number == wanted {
			value, _ = protowire.ConsumeBytes(message[n:])
		}
		message = message[n+size:]
	}
	return value, nil
}
