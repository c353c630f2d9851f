package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// A hand is a worker's process.
type hand struct {
	t       *testing.T
	command *exec.Cmd
	ended   chan struct{}

	mu  sync.Mutex
	log []string
}

// work starts a worker in the process's folder with an environment.
func (p process) work(environ []string, words ...string) *hand {
	p.t.Helper()
	c := p.command(append([]string{"worker"}, words...)...)
	c.Env = append(os.Environ(), environ...)
	out, err := c.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	h := &hand{t: p.t, command: c, ended: make(chan struct{})}
	go func() {
		defer close(h.ended)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			h.mu.Lock()
			h.log = append(h.log, lines.Text())
			h.mu.Unlock()
		}
		_ = c.Wait()
	}()
	p.t.Cleanup(func() {
		_ = c.Process.Kill()
		<-h.ended
	})
	return h
}

// said counts the lines of the log with a text.
func (h *hand) said(text string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, line := range h.log {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func (h *hand) says(text string) {
	h.t.Helper()
	eventually(h.t, text, func() bool { return h.said(text) > 0 || h.hasEnded() })
	if h.said(text) == 0 {
		h.t.Fatalf("it ended and never said %q:\n%s", text, h)
	}
}

func (h *hand) hasEnded() bool {
	select {
	case <-h.ended:
		return true
	default:
		return false
	}
}

func (h *hand) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.log, "\n")
}

func (h *hand) signal(s os.Signal) {
	h.t.Helper()
	if err := h.command.Process.Signal(s); err != nil {
		h.t.Fatal(err)
	}
}

// often is an environment by which boards are walked each second, quiet ones too.
var often = []string{"RANKCURVE_REFRESH_SCHEDULE=@every 1s", "RANKCURVE_REFRESH_IDLE_MAX=0s", "RANKCURVE_WORKER_LEASE=1s", "RANKCURVE_WORKER_JITTER=0s"}

// generation is the published curve's.
func generation(t *testing.T, shown result) int {
	t.Helper()
	return int(shown.ok().rows()[0]["generation"].(float64))
}

// Two workers on one table and one memcached: one is killed, the other goes on.
func TestBinaryWorkersTakeOverFromOneAnother(t *testing.T) {
	p := newProcess(t)
	addr := servers.NewMemcached(t).Addr
	c := newCloud(t)
	c.environ = append(c.environ, withMemcached(addr)...)
	c.games(50)
	environ := slices.Concat(c.environ, often)
	first, second := p.work(environ), p.work(append(environ, "RANKCURVE_WORKER_LISTEN=127.0.0.1:0"))
	first.says("msg=refreshed")
	second.says("msg=refreshed")
	first.signal(syscall.SIGKILL)
	<-first.ended
	before := generation(t, c.bare("curve", "show", "games", "--json"))
	eventually(t, "the other to go on", func() bool {
		return generation(t, c.bare("curve", "show", "games", "--json")) >= before+2
	})
	page := metricsOf(t, second)
	for _, want := range []string{`rankcurve_ticks_total{board="games",column="xp",outcome="refreshed"}`, `rankcurve_curve_generation{board="games",column="xp"}`, `rankcurve_lease_held{`, "rankcurve_memcached_faults_total 0", "go_goroutines"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s on the page:\n%s", want, page)
		}
	}
	second.signal(syscall.SIGTERM)
	<-second.ended
	if code := second.command.ProcessState.ExitCode(); code != exitDone {
		t.Errorf("exit code %d:\n%s", code, second)
	}
}

// metricsOf reads the page at the address that the log tells.
func metricsOf(t *testing.T, h *hand) string {
	t.Helper()
	h.says("metrics and health are served")
	_, address, _ := strings.Cut(h.String(), " address=")
	address, _, _ = strings.Cut(address, "\n")
	for _, path := range []string{"/healthz", "/readyz"} {
		eventually(t, path, func() bool { status, _ := get(t, "http://"+address+path); return status == http.StatusOK })
	}
	_, page := get(t, "http://"+address+"/metrics")
	return page
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A sluice is a DynamoDB endpoint whose queries of an index can be held back.
func sluice(t *testing.T) (endpoint string, shut *atomic.Bool, waiting *atomic.Int32) {
	t.Helper()
	shut, waiting = &atomic.Bool{}, &atomic.Int32{}
	proxy := shaky.New(t, servers.DynamoDB(t), func(r shaky.Request) shaky.Fault {
		if r.Operation == "Query" && bytes.Contains(r.Body, []byte("by_xp")) && shut.Load() {
			waiting.Add(1)
			return shaky.Slow
		}
		return shaky.None
	})
	return proxy.URL, shut, waiting
}

// A worker that is stopped in the middle of a walk for longer than its lease, and goes on
// when another has published, publishes nothing.
func TestBinaryAStoppedWorkerDoesNotPublishOverItsSuccessor(t *testing.T) {
	p := newProcess(t)
	endpoint, shut, waiting := sluice(t)
	c := cloudAt(t, endpoint)
	c.games(50)
	direct := slices.Concat(c.environ, often)
	shut.Store(true)
	late := p.work(direct)
	eventually(t, "the walk", func() bool { return waiting.Load() > 0 })
	late.signal(syscall.SIGSTOP)
	shut.Store(false)
	successor := p.work(direct)
	successor.says("msg=refreshed")
	published := generation(t, c.bare("curve", "show", "games", "--json"))
	successor.signal(syscall.SIGTERM) // so that nothing but the late one could publish
	<-successor.ended
	published = max(published, generation(t, c.bare("curve", "show", "games", "--json")))
	rows := c.bare("curve", "show", "games", "--json").ok().rows()[0]
	late.signal(syscall.SIGCONT)
	late.says("outcome=lost")
	late.signal(syscall.SIGTERM)
	<-late.ended
	if strings.Contains(strings.SplitN(late.String(), "outcome=lost", 2)[0], "msg=refreshed") {
		t.Errorf("it published before it found its lease lost:\n%s", late)
	}
	after := c.bare("curve", "show", "games", "--json").ok().rows()[0]
	if g := int(after["generation"].(float64)); g < published || after["as_of"].(string) < rows["as_of"].(string) {
		t.Errorf("generation %d as of %v, after %d as of %v", g, after["as_of"], published, rows["as_of"])
	}
}

// A worker that is stopped when it has sent its curve, after it has looked at its lease for
// the last time, and whose curve arrives when its successor's is there: the table refuses it,
// for its generation.
func TestBinaryACurveThatArrivesLateIsRefused(t *testing.T) {
	p := newProcess(t)
	held, arrive := make(chan struct{}), make(chan struct{})
	var isHeld atomic.Bool
	proxy := shaky.New(t, servers.DynamoDB(t), func(r shaky.Request) shaky.Fault {
		isCurve := r.Operation != "GetItem" && bytes.Contains(r.Body, []byte(`"#curve"`)) && bytes.Contains(r.Body, []byte(`"games.xp"`))
		if isCurve && isHeld.CompareAndSwap(true, false) {
			close(held)
			<-arrive
		}
		return shaky.None
	})
	c := cloudAt(t, proxy.URL)
	c.games(50)
	environ := slices.Concat(c.environ, often)
	isHeld.Store(true)
	late := p.work(environ)
	<-held
	late.signal(syscall.SIGSTOP)
	successor := p.work(environ)
	successor.says("msg=refreshed")
	successor.signal(syscall.SIGTERM)
	<-successor.ended
	before := c.bare("curve", "show", "games", "--json").ok().rows()[0]
	close(arrive)
	late.signal(syscall.SIGCONT)
	late.says("outcome=lost")
	late.signal(syscall.SIGTERM)
	<-late.ended
	if strings.Contains(strings.SplitN(late.String(), "outcome=lost", 2)[0], "msg=refreshed") {
		t.Errorf("it says that it has published:\n%s", late)
	}
	after := c.bare("curve", "show", "games", "--json").ok().rows()[0]
	if after["generation"].(float64) < before["generation"].(float64) || after["as_of"].(string) < before["as_of"].(string) {
		t.Errorf("generation %v as of %v, after %v as of %v", after["generation"], after["as_of"], before["generation"], before["as_of"])
	}
}

// SIGTERM gives a refresh up, and the lease with it; a second one does not wait.
func TestBinaryWorkerEndsInTheMiddleOfARefresh(t *testing.T) {
	p := newProcess(t)
	endpoint, shut, waiting := sluice(t)
	c := cloudAt(t, endpoint)
	c.games(50)
	environ := slices.Concat(c.environ, often, []string{"RANKCURVE_WORKER_LEASE=10m"})
	shut.Store(true)
	h := p.work(environ)
	eventually(t, "the walk", func() bool { return waiting.Load() > 0 })
	h.signal(syscall.SIGTERM)
	<-h.ended
	if code := h.command.ProcessState.ExitCode(); code != exitDone || h.said("outcome=stopped") != 1 {
		t.Errorf("exit code %d:\n%s", code, h)
	}
	shut.Store(false)
	c.bare("rebuild", "games").ok("generation 2")
}

func TestBinaryWorkerTakesAChangedConfigurationAndRefusesABadOne(t *testing.T) {
	p := newProcess(t)
	s := newShell(t)
	p.run("load", "games", s.players(20)).ok()
	file := filepath.Join(p.folder, "c.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("refresh: {schedule: '@daily'}\nworker: {jitter: 0s}\n")
	h := p.work([]string{"RANKCURVE_CONFIG=" + file})
	h.says("msg=refreshed")
	write("refresh: {schedule: '0 0 31 2 *'}\n")
	h.signal(syscall.SIGHUP)
	h.says("configuration is refused, the old one stays in force")
	h.says("is never due")
	write("refresh: {schedule: '@every 1s'}\nworker: {jitter: 0s, listen: '127.0.0.1:1'}\n")
	h.signal(syscall.SIGHUP)
	h.says("configuration is reloaded")
	h.says("keys=worker.listen")
	eventually(t, "refreshes by the new schedule", func() bool { return h.said("msg=refreshed") >= 3 })
	h.signal(syscall.SIGTERM)
	<-h.ended
	p.run("rank", "games", "p7").ok("exact")
}
