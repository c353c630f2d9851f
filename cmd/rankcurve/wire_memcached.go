package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/rankcurve/rankcurve/config"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
)

// behindMemcached puts the configured memcached before a store's curves. A memcached
// that is away makes nothing fail: the log warns of it.
func behindMemcached(st store.Store, cfg config.Config, a access) (store.Store, error) {
	name, err := cacheTable(cfg.Store)
	if err != nil {
		return nil, err
	}
	faults := newFaultLog(a.log, "memcached is of no help, the store answers")
	onFault := func(err error) {
		faults.warn(err)
		if a.onCacheFault != nil {
			a.onCacheFault()
		}
	}
	timeout, err := time.ParseDuration(cfg.Cache.Memcached.Timeout)
	if err != nil {
		return nil, fmt.Errorf("cache.memcached.timeout: %w", err)
	}
	expiration, err := cfg.Cache.Memcached.Expiration.Duration()
	if err != nil {
		return nil, fmt.Errorf("cache.memcached.expiration: %w", err)
	}
	cache, err := memcache.Dial(cfg.Cache.Memcached.Servers, memcache.OnFault(onFault), memcache.Timeout(timeout), memcache.Expiration(expiration))
	if err != nil {
		return nil, hintf(err, "correct cache.memcached.servers or --memcached, or go without: --cache none")
	}
	return memcache.Wrap(st, cache, name), nil
}

// cacheKeyOf is where the configured cache has a curve; nil if there is no cache.
func cacheKeyOf(cfg config.Config, k store.CurveKey) (*string, error) {
	if cfg.Cache.Kind != config.CacheMemcached {
		return nil, nil //nolint:nilnil // no cache is no fault
	}
	table, err := cacheTable(cfg.Store)
	if err != nil {
		return nil, err
	}
	key := memcache.Key(table, k)
	return &key, nil
}

// cacheTable tells the curves of several stores in one memcached apart: by the
// table's name, or by the file of an embedded store.
func cacheTable(cfg config.Store) (string, error) {
	if cfg.Kind == config.KindDynamoDB {
		return cfg.DynamoDB.Table, nil
	}
	path, err := filepath.Abs(cfg.Bolt.Path)
	if err != nil {
		return "", fmt.Errorf("find database: %w", err)
	}
	return path, nil
}
