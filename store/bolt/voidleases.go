package bolt

import (
	"encoding/json"
	"errors"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/rankcurve/rankcurve/store"
)

// VoidLeases ends the leases of processes before this one: that the file could be
// locked proves that they are gone. Their fences stay; a damaged record goes. A
// file without leases under way is not written.
func voidLeases(db *bbolt.DB) error {
	after := map[string][]byte{}
	err := db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketLeases).ForEach(func(name, data []byte) error {
			var l store.Lease
			if err := json.Unmarshal(data, &l); err != nil {
				after[string(name)] = nil
				return nil //nolint:nilerr // a lease that cannot be read is no lease
			}
			if l.Expires.IsZero() {
				return nil
			}
			l.Expires = time.Time{}
			var err error
			after[string(name)], err = json.Marshal(l)
			return err
		})
	})
	if err != nil || len(after) == 0 {
		return err
	}
	return db.Update(func(tx *bbolt.Tx) (err error) {
		leases := tx.Bucket(bucketLeases)
		for name, data := range after {
			if data == nil {
				err = errors.Join(err, leases.Delete([]byte(name)))
			} else {
				err = errors.Join(err, leases.Put([]byte(name), data))
			}
		}
		return err
	})
}
