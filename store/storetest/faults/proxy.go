// Package faults is an HTTP proxy before a DynamoDB endpoint that fails on
// purpose, as networks and services do.
package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Fault is what happens to one request.
type Fault int

// The faults. What is "lost" has been carried out by the server.
const (
	None           Fault = iota
	Refused              // 500, not carried out
	Lost                 // 500, carried out
	Cut                  // the connection ends without an answer, not carried out
	LostCut              // the connection ends without an answer, carried out
	Throttled            // ProvisionedThroughputExceededException with a reason
	ThrottledBare        // ThrottlingException without one
	Truncated            // half of the answer
	WrongChecksum        // an x-amz-crc32 that is another body's
	WrongBody            // a body of the right length that the x-amz-crc32 does not fit
	Slow                 // no answer until the client leaves, not carried out
	SlowButCarried       // carried out, then no answer until the client leaves
)

// Request is one that came to the proxy.
type Request struct {
	Operation string // "Query", "UpdateItem", ...
	Number    int    // of all, from 1
	Body      []byte
}

// Sorted is the body with its maps in order, by which a request is known when it is sent
// again: the SDK writes them in another order each time.
func (r Request) Sorted() string {
	var body any
	if json.Unmarshal(r.Body, &body) != nil {
		return string(r.Body)
	}
	sorted, err := json.Marshal(body)
	if err != nil {
		return string(r.Body)
	}
	return string(sorted)
}

// Proxy is a running one. It ends with its test.
type Proxy struct {
	URL string

	target string
	choose func(Request) Fault
	client *http.Client
	ahead  atomic.Int64 // see SetClock

	mu    sync.Mutex
	total int
	seen  map[string]int
}

// New starts a proxy to a URL. Choose decides about each request, and may be
// called at the same time by several.
func New(tb testing.TB, target string, choose func(Request) Fault) *Proxy {
	tb.Helper()
	p := &Proxy{
		target: target,
		choose: choose,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}},
		seen:   map[string]int{},
	}
	server := httptest.NewServer(p)
	p.URL = server.URL
	tb.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		p.client.CloseIdleConnections()
	})
	return p
}

// Requests counts the requests of an operation that came, all of them for "".
func (p *Proxy) Requests(operation string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if operation == "" {
		return p.total
	}
	return p.seen[operation]
}

// Some draws faults: so many of a hundred fail in one way or another, and so many
// are throttled. The same seed draws the same sequence.
func Some(failing, throttled int, seed uint64) func(Request) Fault {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, seed))
	fails := []Fault{Refused, Lost, Cut, LostCut, Truncated}
	throttles := []Fault{Throttled, ThrottledBare}
	return func(Request) Fault {
		mu.Lock()
		defer mu.Unlock()
		switch n := random.IntN(100); {
		case n < failing:
			return fails[random.IntN(len(fails))]
		case n < failing+throttled:
			return throttles[random.IntN(len(throttles))]
		}
		return None
	}
}

// First faults the first requests of an operation, one after the other.
func First(operation string, faults ...Fault) func(Request) Fault {
	var mu sync.Mutex
	return func(r Request) Fault {
		mu.Lock()
		defer mu.Unlock()
		if r.Operation != operation || len(faults) == 0 {
			return None
		}
		fault := faults[0]
		faults = faults[1:]
		return fault
	}
}

// ServeHTTP answers one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	fault := p.choose(p.note(r, body))
	if p.date(w, r) {
		return
	}
	switch fault {
	case Refused:
		answer(w, http.StatusInternalServerError, "InternalServerError", `"message":"on purpose"`)
	case Cut:
		cut()
	case Slow:
		wait(r)
	case Throttled:
		answer(w, http.StatusBadRequest, "ProvisionedThroughputExceededException",
			`"message":"on purpose","ThrottlingReasons":[{"reason":"IndexReadKeyRangeThroughputExceeded","resource":"arn:aws:dynamodb:eu-west-1:000000000000:table/t/index/by_xp"}]`)
	case ThrottledBare:
		answer(w, http.StatusBadRequest, "ThrottlingException", `"message":"Rate exceeded"`)
	default:
		p.forward(w, r, body, fault)
	}
}

func (p *Proxy) note(r *http.Request, body []byte) Request {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total++
	p.seen[operation]++
	return Request{Operation: operation, Number: p.total, Body: body}
}

// forward sends the request on; the fault is about the answer.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, body []byte, fault Fault) {
	out, err := http.NewRequest(r.Method, p.target+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		cut()
		return
	}
	out.Header, out.Host = r.Header.Clone(), r.Host
	in, err := p.client.Do(out)
	if err != nil {
		cut()
		return
	}
	data, err := io.ReadAll(in.Body)
	_ = in.Body.Close()
	if err != nil {
		cut()
		return
	}
	switch fault {
	case Lost:
		answer(w, http.StatusInternalServerError, "InternalServerError", `"message":"on purpose, but it is done"`)
		return
	case LostCut:
		cut()
		return
	case SlowButCarried:
		wait(r)
		return
	}
	dated := w.Header()["Date"]
	for name, values := range in.Header {
		w.Header()[name] = values
	}
	if dated != nil {
		w.Header()["Date"] = dated
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	switch fault {
	case WrongChecksum:
		w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(data)^1))
	case WrongBody: // a digit, so that it is still JSON
		data = otherDigit(data)
	case Truncated:
		data = data[:len(data)/2]
	}
	w.WriteHeader(in.StatusCode)
	_, _ = w.Write(data)
	if fault == Truncated {
		_ = http.NewResponseController(w).Flush()
		cut()
	}
}

func otherDigit(data []byte) []byte {
	data = bytes.Clone(data)
	for i, c := range data {
		if c >= '0' && c <= '9' {
			data[i] = '0' + (c-'0'+1)%10
			break
		}
	}
	return data
}

func answer(w http.ResponseWriter, status int, code, rest string) {
	body := fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s",%s}`, code, rest)
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE([]byte(body))))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// cut ends the connection, with what was written of the answer so far.
func cut() { panic(http.ErrAbortHandler) }

// wait holds a request until its client leaves, or long after any test's patience.
func wait(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-time.After(time.Minute):
	}
}
