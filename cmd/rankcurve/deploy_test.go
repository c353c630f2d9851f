package main

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rankcurve/rankcurve/jobs"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/dynamo"
	shaky "github.com/rankcurve/rankcurve/store/storetest/faults"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

const deploy = "../../docs/deploy/"

func deployed(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(deploy + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A listener notes the metrics that are registered: their names, and by name their labels.
type listener struct {
	prometheus.Registerer
	names  []string
	labels map[string][]string
}

var describedAs = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

func (l *listener) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		described := make(chan *prometheus.Desc, 16)
		c.Describe(described)
		close(described)
		for d := range described {
			said := describedAs.FindStringSubmatch(d.String())
			l.names = append(l.names, said[1])
			if l.labels == nil {
				l.labels = map[string][]string{}
			}
			l.labels[said[1]] = strings.FieldsFunc(said[2], func(r rune) bool { return r == ',' })
		}
	}
}

// Every metric that the dashboard and the alerts name exists, and the dashboard shows
// every metric there is.
func TestDashboardAndAlertsNameTheMetricsThereAre(t *testing.T) {
	var l listener
	jobs.NewMetrics(&l)
	named := map[string]bool{}
	for _, file := range []string{"grafana.json", "alerts.yaml", "alerts_test.yaml"} {
		found := regexp.MustCompile(`rankcurve_[a-z_]+`).FindAllString(deployed(t, file), -1)
		for _, name := range found {
			name = strings.TrimSuffix(name, "_bucket")
			named[name] = true
			if !slices.Contains(l.names, name) {
				t.Errorf("%s names %s, which does not exist", file, name)
			}
		}
	}
	for _, name := range l.names {
		if !named[name] {
			t.Errorf("neither the dashboard nor an alert shows %s", name)
		}
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(deployed(t, "grafana.json")), &dashboard); err != nil || len(dashboard.Panels) < 10 {
		t.Errorf("%d panels: %v", len(dashboard.Panels), err)
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.UnmarshalWithOptions([]byte(deployed(t, "alerts.yaml")), &alerts); err != nil {
		t.Fatal(err)
	}
	for _, rule := range alerts.Groups[0].Rules {
		outcomes := regexp.MustCompile(`outcome=~"([^"]*)"`).FindStringSubmatch(rule.Expr)
		if rule.Alert == "" || rule.Expr == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
			t.Errorf("incomplete: %+v", rule)
		}
		if outcomes != nil {
			for _, o := range strings.Split(outcomes[1], "|") {
				if o != "missed" && !slices.Contains(jobs.Outcomes(), jobs.Outcome(o)) {
					t.Errorf("%s names the outcome %s, which does not exist", rule.Alert, o)
				}
			}
		}
	}
}

// A policy is an IAM policy as far as ours go.
type policy struct {
	Statement []struct {
		Effect    string
		Action    oneOrMore
		Resource  string
		Condition map[string]map[string]oneOrMore
	}
}

// OneOrMore is one text, or a list.
type oneOrMore []string

func (w *oneOrMore) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(w))
}

func policyOf(t *testing.T, file string) (p policy) {
	t.Helper()
	if err := json.Unmarshal([]byte(deployed(t, file)), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Asked is what a request asks for.
type asked struct {
	operation string
	index     bool
	leading   string // the hash key of the table's item, if the request names one
}

// allows says whether a policy lets a request through.
func (p policy) allows(a asked) bool {
	for _, s := range p.Statement {
		if s.Effect == "Deny" && slices.Contains(s.Action, "dynamodb:"+a.operation) && slices.Contains(s.Condition["ForAnyValue:StringEquals"]["dynamodb:LeadingKeys"], a.leading) {
			return false
		}
	}
	for _, s := range p.Statement {
		if s.Effect != "Allow" || !slices.Contains(s.Action, "dynamodb:"+a.operation) || a.index != strings.Contains(s.Resource, "/index/") {
			continue
		}
		if keys := s.Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]; len(keys) == 0 || slices.ContainsFunc(keys, func(k string) bool { return like(k, a.leading) }) {
			return true
		}
	}
	return false
}

func like(pattern, text string) bool {
	prefix, isPrefix := strings.CutSuffix(pattern, "*")
	return text == pattern || isPrefix && strings.HasPrefix(text, prefix)
}

// actions are all that a policy allows, sorted.
func (p policy) actions() (all []string) {
	for _, s := range p.Statement {
		all = append(all, s.Action...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A watch is a DynamoDB endpoint that notes what it is asked.
type watch struct {
	mu  sync.Mutex
	all []asked
}

func (w *watch) note(r shaky.Request) shaky.Fault {
	var body struct {
		IndexName                 string
		Key, Item                 map[string]map[string]any
		ExpressionAttributeValues map[string]map[string]any
		KeyConditionExpression    string
	}
	_ = json.Unmarshal(r.Body, &body)
	a := asked{operation: r.Operation, index: body.IndexName != ""}
	for _, item := range []map[string]map[string]any{body.Key, body.Item} {
		if owner, there := item["o"]["S"]; there {
			a.leading = fmt.Sprint(owner)
		}
	}
	if !a.index && r.Operation == "Query" {
		for _, value := range body.ExpressionAttributeValues {
			if text := fmt.Sprint(value["S"]); strings.HasPrefix(text, "#") {
				a.leading = text
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, a)
	return shaky.None
}

// has says whether an operation was asked for, on an item of a hash key that begins so.
func (w *watch) has(operation, leading string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.all, func(a asked) bool { return a.operation == operation && strings.HasPrefix(a.leading, leading) })
}

// reset forgets what was asked so far.
func (w *watch) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = nil
}

// within holds what was asked against a policy, and says which of its actions were needed.
func (w *watch) within(t *testing.T, p policy) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	needed := map[string]bool{}
	for _, a := range w.all {
		needed["dynamodb:"+a.operation] = true
		if !p.allows(a) {
			t.Errorf("the policy does not allow %+v", a)
		}
	}
	for _, action := range p.actions() {
		if !needed[action] {
			t.Errorf("the policy allows %s, which was not needed", action)
		}
	}
}

// expired makes a board that expired two hours ago, with all that is kept of one.
func (c cloud) expired(name string) {
	c.t.Helper()
	st, err := dynamo.Open(c.ctx, c.client, c.table)
	if err != nil {
		c.t.Fatal(err)
	}
	defer st.Close()
	b := store.Board{Name: name, Shards: 1, Columns: []store.Column{{Name: "xp", Order: store.Desc, Operator: store.Set}}, Expires: time.Now().Add(-2 * time.Hour).Truncate(time.Second)}
	key, data := b.CurveKey("xp"), []byte("x")
	_, published := st.Publish(c.ctx, key, store.Published{Generation: 1, Data: data})
	_, saved := st.SaveState(c.ctx, key, make([]byte, 500_000)) // in two parts
	_, archived := st.Archive(c.ctx, key, store.Archived{AsOf: b.Expires.Add(-time.Hour), Generation: 1, Data: data})
	lease, leased := st.Acquire(c.ctx, key.Lease(), "worker", b.Expires.Add(-time.Hour), time.Minute)
	if err := errors.Join(st.CreateBoard(c.ctx, b), published, saved, archived, leased, st.Release(c.ctx, lease)); err != nil {
		c.t.Fatal(err)
	}
}

// The policies allow what a worker and readers do on a table, and hardly more.
func TestPoliciesAllowWhatIsDone(t *testing.T) {
	var seen watch
	proxy := shaky.New(t, servers.DynamoDB(t), seen.note)
	c := cloudAt(t, proxy.URL)
	c.games(300)
	c.expired("old")
	environ := c.environ
	seen.reset()
	c.environ = append(slices.Clone(environ), "RANKCURVE_REFRESH_SCHEDULE=@every 1s", "RANKCURVE_REFRESH_AUDIT=20", "RANKCURVE_REFRESH_METHOD=counted",
		"RANKCURVE_REFRESH_HISTORY_KEEP=1s", "RANKCURVE_REFRESH_HISTORY_EVERY=1s")
	eventually(t, "a refresh that deletes a curve of the past, and a drop", func() bool {
		return strings.Contains(c.bare("worker", "--once").out, "1 column refreshed") && seen.has("DeleteItem", "#history/games.") && seen.has("DeleteItem", "#board")
	})
	seen.within(t, policyOf(t, "worker-policy.json"))

	seen.reset()
	c.environ = append(slices.Clone(environ), "RANKCURVE_CURSOR_KEY=sixteen bytes and more")
	for _, line := range []string{
		"top games", "top games --attributes", "rank games p7 p8", "rank games p7 --at 1s", "history games p7", "rank games p7 --mode exact", "rank games p7 --mode estimate", "score games --rank 3",
		"around games p50", "page games", "owner p7", "curve show games", "verify games --sample 10", "boards",
	} {
		if r := c.bare(strings.Fields(line)...); r.code != exitDone {
			t.Errorf("%s: exit code %d: %s", line, r.code, r.err)
		}
	}
	seen.within(t, policyOf(t, "reader-policy.json"))
}

// What is nobody's business is refused: rows to a worker's writes, the system's own items to
// readers.
func TestPoliciesRefuseWhatIsNotDone(t *testing.T) {
	worker, reader := policyOf(t, "worker-policy.json"), policyOf(t, "reader-policy.json")
	for _, a := range []asked{
		{operation: "GetItem", leading: "p7"},
		{operation: "Query", leading: "p7"},
		{operation: "GetItem", leading: "#secret"},
		{operation: "PutItem", leading: "p7"},
		{operation: "DeleteItem", leading: "p7"},
		{operation: "PutItem", leading: "#board"},
		{operation: "PutItem", leading: "#secret"},
		{operation: "DeleteTable"},
		{operation: "Scan"},
		{operation: "UpdateItem", leading: "p7"},
	} {
		if worker.allows(a) {
			t.Errorf("a worker may %+v", a)
		}
	}
	for _, owner := range []string{"#secret", "#lease", "#state"} {
		for _, operation := range []string{"GetItem", "BatchGetItem", "Query", "PutItem"} {
			if a := (asked{operation: operation, leading: owner}); reader.allows(a) {
				t.Errorf("a reader may %+v", a)
			}
		}
	}
	if !reader.allows(asked{operation: "GetItem", leading: "#curve"}) || !reader.allows(asked{operation: "GetItem", leading: "p7"}) || !worker.allows(asked{operation: "PutItem", leading: "#lease"}) {
		t.Error("what is done is refused")
	}
}

// No policy names what no store calls, and no writer's actions are a reader's.
func TestPoliciesNameWhatTheStoreCalls(t *testing.T) {
	api := reflect.TypeFor[dynamo.API]()
	for _, file := range []string{"worker-policy.json", "reader-policy.json"} {
		for _, action := range policyOf(t, file).actions() {
			method, isDynamo := strings.CutPrefix(action, "dynamodb:")
			if _, called := api.MethodByName(method); !isDynamo || !called {
				t.Errorf("%s allows %s, which the store never calls", file, action)
			}
			if writes := regexp.MustCompile(`^(Put|Update|Delete|BatchWrite)`).MatchString(method); writes && file == "reader-policy.json" {
				t.Errorf("readers may %s", action)
			}
		}
	}
}

// The unit's command lines are ones that the program takes, and its times suit.
func TestSystemdUnit(t *testing.T) {
	unit := deployed(t, "rankcurve-worker.service")
	value := func(key string) string {
		match := regexp.MustCompile(`(?m)^` + key + `=(.*)$`).FindStringSubmatch(unit)
		if match == nil {
			t.Fatalf("no %s", key)
		}
		return match[1]
	}
	line := strings.Fields(value("ExecStart"))
	s := newShell(t)
	s.bare(append(slices.Clone(line[1:]), "--help")...).ok("refresh all boards by their schedules")
	if value("ExecReload") != "/bin/kill -HUP $MAINPID" || value("TimeoutStopSec") != "15" || value("Restart") != "always" || value("RestartPreventExitStatus") != strconv.Itoa(exitUsage) || value("Environment") != "GOTRACEBACK=crash" {
		t.Error("reload, stop or restart are not what the worker does")
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed, so the unit's syntax is not checked")
	}
	path := filepath.Join(t.TempDir(), "rankcurve-worker.service")
	text := strings.Replace(unit, line[0], "/bin/true", 1) // which is there
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput()
	for _, said := range strings.Split(string(out), "\n") {
		if strings.Contains(said, "rankcurve-worker.service") {
			t.Errorf("systemd-analyze: %s (%v)", said, err)
		}
	}
}

// The image's build line makes a program that needs nothing beside it, as in an empty
// image, with the Go version of go.mod.
func TestDockerfileBuildsTheProgram(t *testing.T) {
	text := deployed(t, "Dockerfile")
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)[1]
	if !strings.Contains(text, "FROM golang:"+string(version)+" AS build") {
		t.Errorf("the image is not built with Go %s", version)
	}
	for _, line := range []string{`ENTRYPOINT ["/rankcurve"]`, "COPY --from=build /out/rankcurve /rankcurve", "EXPOSE 9464"} {
		if !strings.Contains(text, line) {
			t.Errorf("the image has no %s", line)
		}
	}
	line := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0 go build .*)$`).FindStringSubmatch(text)
	if line == nil {
		t.Fatal("no line builds the program")
	}
	if testing.Short() {
		t.Skip("builds everything once more, without cgo")
	}
	program := filepath.Join(t.TempDir(), "rankcurve")
	build := exec.Command("sh", "-c", strings.Replace(line[1], "/out/rankcurve", program, 1))
	build.Dir, build.Env = "../..", append(os.Environ(), "VERSION=v1.2.3", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line[1], err, out)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil || len(libraries) > 0 || slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Errorf("it is not static: it needs %v, %v", libraries, err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("what was built is for Linux")
	}
	run := exec.Command(program, "--version")
	run.Env = []string{}
	if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "v1.2.3") {
		t.Errorf("it says %s, %v", out, err)
	}
}
