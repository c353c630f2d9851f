package config

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rankcurve/rankcurve"
	"github.com/rankcurve/rankcurve/store/memcache"
)

var (
	tableName  = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)
	regionName = regexp.MustCompile(`^[a-z0-9-]+$`)
)

// faults of what names a store, with keys from the root.
func (s Store) faults() (faults []fault) {
	report := func(key, format string, args ...any) {
		faults = append(faults, fault{key: key, text: fmt.Sprintf(format, args...)})
	}
	if kinds := []StoreKind{KindBolt, KindDynamoDB}; !slices.Contains(kinds, s.Kind) {
		report("store.kind", "%q is not a kind of store; use one of %v", s.Kind, kinds)
	}
	if s.Bolt.Path == "" {
		report("store.bolt.path", "is empty; name a file, such as rankcurve.db")
	}
	if !tableName.MatchString(s.DynamoDB.Table) {
		report("store.dynamodb.table", "%q is not a table's name; use 3 to 255 letters, digits and _ . -", s.DynamoDB.Table)
	}
	if region := s.DynamoDB.Region; region != "" && !regionName.MatchString(region) {
		report("store.dynamodb.region", "%q is not a region's name; write it like eu-west-1, or leave it empty for AWS_REGION", region)
	}
	if why := endpointFault(s.DynamoDB.Endpoint); why != "" {
		report("store.dynamodb.endpoint", "%q %s; write a URL such as http://127.0.0.1:4567, or leave it empty for AWS", s.DynamoDB.Endpoint, why)
	}
	return faults
}

func endpointFault(endpoint string) string {
	if endpoint == "" {
		return ""
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return "is not an http:// or https:// URL"
	case u.User != nil:
		return "has credentials in it, which belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
	case u.RawQuery != "" || u.Fragment != "":
		return "has more than a host, a port and a path"
	}
	return ""
}

// faults of what names a cache, with keys from the root.
func (c Cache) faults() (faults []fault) {
	report := func(key, format string, args ...any) {
		faults = append(faults, fault{key: key, text: fmt.Sprintf(format, args...)})
	}
	if kinds := []CacheKind{CacheNone, CacheMemcached}; !slices.Contains(kinds, c.Kind) {
		report("cache.kind", "%q is not a kind of cache; use one of %v", c.Kind, kinds)
	}
	if timeout, err := time.ParseDuration(c.Memcached.Timeout); err != nil || timeout < time.Millisecond || timeout > time.Minute {
		report("cache.memcached.timeout", "%q is not in 1ms..1m; write it like 250ms or 2s", c.Memcached.Timeout)
	}
	if expiration, err := c.Memcached.Expiration.Duration(); err != nil {
		report("cache.memcached.expiration", "%v, or 0s for never", err)
	} else if expiration > memcache.MaxExpiration {
		report("cache.memcached.expiration", "%s is more than 30d, which memcached takes for a date; 10m suits most, 0s is never", c.Memcached.Expiration)
	}
	servers := c.Memcached.Servers
	if len(servers) == 0 {
		report(serversKey, "is empty; name one at least, such as 127.0.0.1:11211")
	}
	for i, server := range servers {
		key := fmt.Sprintf("%s[%d]", serversKey, i)
		if !isServer(server) {
			report(key, "%q is not HOST:PORT; write it like 127.0.0.1:11211", server)
		} else if j := slices.Index(servers, server); j < i {
			report(key, "%s is %s[%d] too; name each server once", server, serversKey, j)
		}
	}
	return faults
}

// faults of how cursors are signed, with keys from the root. The key itself is not told.
func (c Cursor) faults() (faults []fault) {
	if n := len(c.Key); n > 0 && n < rankcurve.MinCursorKey {
		faults = append(faults, fault{key: "cursor.key", text: fmt.Sprintf("has %d bytes, and %d are the least; take a long random text, or leave it empty for the store's own", n, rankcurve.MinCursorKey)})
	}
	if _, err := c.MaxAge.Duration(); err != nil {
		faults = append(faults, fault{key: "cursor.max_age", text: fmt.Sprintf("%v, or 0s for no limit", err)})
	}
	return faults
}

// isServer takes HOST:PORT, and the absolute path of a Unix socket.
func isServer(text string) bool {
	if strings.HasPrefix(text, "/") {
		return true
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil || host == "" || strings.ContainsAny(host, " /,") {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && n >= 1 && n <= 65535
}

// partitionGives is what DynamoDB gives of one partition, in read units a second.
const partitionGives = 3000

// faults of a pace, with keys below refresh.
func (p Pace) faults() (faults []fault) {
	report := func(key, format string, args ...any) {
		faults = append(faults, fault{key: key, text: fmt.Sprintf(format, args...)})
	}
	if p.Max < 0 || p.Max > partitionGives {
		report("pace.max", "%d is not in 0..%d, what a partition gives; 300 leaves room for the players, 0 is no pace", p.Max, partitionGives)
	}
	switch {
	case p.Start < 0:
		report("pace.start", "%d is negative; use 0 to start at pace.max", p.Start)
	case p.Max > 0 && p.Start > p.Max:
		report("pace.start", "%d is above pace.max, %d; lower it, or raise pace.max", p.Start, p.Max)
	}
	return faults
}
