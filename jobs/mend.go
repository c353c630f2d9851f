package jobs

import (
	"context"
	"errors"

	"github.com/rankcurve/rankcurve/store"
)

// mend puts the durable curve into a cache that has an older one: whoever published it has
// died before it came so far, or had lost the answer. Readers would wait for it until the
// next tick. A cache takes a curve's place when it is published once more, which the store
// refuses.
func (k *ticking) mend(ctx context.Context, durable store.Published) {
	inner := k.Store
	if bounded, isBounded := inner.(boundedStore); isBounded {
		inner = bounded.Store
	}
	if _, isCached := inner.(store.Cached); !isCached {
		return
	}
	seen, _, err := k.Store.Curve(ctx, k.key)
	if err != nil || seen.Generation >= durable.Generation {
		return // it has come meanwhile, or readers have the store's
	}
	usage, err := k.Store.Publish(ctx, k.key, durable)
	k.report.Usage.Add(usage)
	if err != nil && !errors.Is(err, store.ErrStale) {
		k.warn(ctx, "cache has an older curve than the store, and is not mended", k.key, err)
	}
}
