package config_test

import (
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/config"
)

func TestSchedulesAndTheWorkersKeysAreChecked(t *testing.T) {
	for file, want := range map[string]string{
		`refresh: {schedule: "0 0 31 2 *"}`:                                             `c.yaml:1: refresh.schedule: "0 0 31 2 *" is never due: there is no such day; write a cron expression`,
		`refresh: {schedule: "@every 5"}`:                                               `refresh.schedule: "@every 5" is no schedule: "5" is not a duration`,
		`refresh: {timezone: Mars/Base}`:                                                `refresh.timezone: "Mars/Base" is not a time zone`,
		`refresh: {schedule: "CRON_TZ=Mars/Base 0 0 * * *"}`:                            `refresh.schedule: "Mars/Base" is not a time zone`,
		`refresh: {idle_max: 5}`:                                                        `refresh.idle_max: "5" is not a length of time`,
		`boards: [{name: a, columns: [{name: xp}], refresh: {schedule: "0 0 30 2 *"}}]`: `boards[0].refresh.schedule: "0 0 30 2 *" is never due`,
		`worker: {listen: "9464"}`:                                                      `worker.listen: "9464" is not HOST:PORT`,
		`worker: {concurrent: 0}`:                                                       `worker.concurrent: 0 is not in 1..256`,
		`worker: {read_units_per_second: -1}`:                                           `worker.read_units_per_second: -1 is negative`,
		`worker: {jitter: 1h}`:                                                          `worker.jitter: 1h is more than 10m`,
		`worker: {jitter: soon}`:                                                        `worker.jitter: "soon" is not a length of time`,
		`cache: {memcached: {timeout: 0s}}`:                                             `cache.memcached.timeout: "0s" is not in 1ms..1m`,
		`cache: {memcached: {expiration: 31d}}`:                                         `cache.memcached.expiration: 31d is more than 30d`,
		`cache: {memcached: {expiration: 1500ms}}`:                                      `cache.memcached.expiration: "1500ms" is not a length of time`,
		`cache: {memcached: {expiration: -1m}}`:                                         `cache.memcached.expiration: "-1m" is not a length of time`,
		`cache: {memcached: {timeout: 250}}`:                                            `cache.memcached.timeout: "250" is not in 1ms..1m`,
		`worker: {lease: 0s}`:                                                           `worker.lease: "0s" is not in 1s..10m`,
		`worker: {lease: 1d}`:                                                           `worker.lease: "1d" is not in 1s..10m`,
		`log: {format: xml}`:                                                            `log.format: "xml" is not a format; use one of [text json]`,
	} {
		_, err := config.Load(write(t, file), nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v\nwant one fault with %s", file, err, want)
		}
	}
}
