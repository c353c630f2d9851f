package jobs_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// A gate stands before a DynamoDB endpoint and gives each partition of an index so
// many read units a second, by what its answers say they consumed. Beyond that it
// throttles.
type gate struct {
	url                string
	queries, throttled atomic.Int64

	units float64
	mu    sync.Mutex
	lanes map[string]*rate.Limiter
}

func newGate(t *testing.T, endpoint string, units float64) *gate {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{units: units, lanes: map[string]*rate.Limiter{}}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host },
		ModifyResponse: g.charge,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.admits(r) {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"over the gate's capacity"}`)
	}))
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

var partitionKey = regexp.MustCompile(`"S":"([^"]*#[0-9a-z]{2})"`)

// partitionHeader carries a query's partition from the request to its answer.
const partitionHeader = "X-Test-Partition"

func (g *gate) admits(r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	match := partitionKey.FindSubmatch(body)
	if err != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Query") || match == nil {
		return true
	}
	g.queries.Add(1)
	r.Header.Set(partitionHeader, string(match[1]))
	if g.lane(string(match[1])).Tokens() < 1 {
		g.throttled.Add(1)
		return false
	}
	return true
}

func (g *gate) charge(r *http.Response) error {
	partition := r.Request.Header.Get(partitionHeader)
	if partition == "" {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var answer struct {
		ConsumedCapacity struct{ CapacityUnits float64 }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	lane := g.lane(partition)
	for tokens := int(2 * answer.ConsumedCapacity.CapacityUnits); tokens > 0; tokens -= lane.Burst() {
		lane.ReserveN(time.Now(), min(tokens, lane.Burst()))
	}
	return nil
}

// lane is a partition's bucket, in half units; it holds a second's.
func (g *gate) lane(partition string) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lanes[partition] == nil {
		g.lanes[partition] = rate.NewLimiter(rate.Limit(2*g.units), int(2*g.units))
	}
	return g.lanes[partition]
}
