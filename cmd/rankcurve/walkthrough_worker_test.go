package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// figures are what differs in the logs and metrics of two runs of workers.
var figures = []struct{ form, as string }{
	{`\btime=\S+`, "time=TIME"},
	{`\bduration=\S+`, "duration=TIME"},
	{`\bdue=\S+`, "due=TIME"},
	{`\bversion=\S+`, "version=VERSION"},
	{`\b(requests|read_units|knots|bytes|intervals|tolerance)=\S+`, "$1=N"},
	{`\bresumed=\d+`, "resumed=N"}, // of the one that is killed: more, the later that is
	{`(?m)^(rankcurve_refresh_\w+{.*}) \S+$`, "$1 N"},
	{`(?m)^(rankcurve_ticks_total{.*outcome="held"}) \d+$`, "$1 N"},
}

// settled is what a page or a run says, without what differs from run to run.
func settled(text string) string {
	for _, f := range figures {
		text = regexp.MustCompile(f.form).ReplaceAllString(text, f.as)
	}
	return lasting(text)
}

// endThose kills the processes of these pid files that are still there.
func endThose(t *testing.T, folder string, files ...string) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			continue // it was not begun
		}
		id, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Error(err)
			continue
		}
		if process, err := os.FindProcess(id); err == nil {
			_ = process.Kill()
		}
	}
}

// The walk-through of two workers prints what its page says, on real servers.
func TestBinaryDoesTheWalkthroughOfWorkers(t *testing.T) {
	const page = "walkthrough-worker.md"
	if os.Getenv(servers.EndpointVariable) != "" {
		t.Skip("it makes a table called rankcurve, which is not for any endpoint")
	}
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("this machine has no %s", program)
		}
	}
	endpoint := servers.DynamoDB(t)
	memcached := servers.NewMemcached(t).Addr
	credentialsOf(t, "")
	bePatient(t)
	address := strings.NewReplacer(
		"http://127.0.0.1:4567", endpoint, "127.0.0.1:11211", memcached,
		"127.0.0.1:9464", servers.Address(t), "127.0.0.1:9465", servers.Address(t),
	)
	r := reader{process: newProcess(t), address: address}
	t.Cleanup(func() { endThose(t, r.folder, "first.pid", "second.pid") })
	steps, printed := walkthrough(t, page), ""
	for _, s := range steps {
		got := r.types(s.commands).ok()
		if settled(got.out) != settled(address.Replace(s.prints)) {
			t.Fatalf("%s\nprints\n%s\nand not, as %s says,\n%s", s.commands, got.out, page, s.prints)
		}
		printed += got.out
	}
	for _, want := range []string{"outcome=held", "msg=refreshed board=games column=score generation=1", `rankcurve_memcached_faults_total 0`, "worker ends"} {
		if !strings.Contains(printed, want) {
			t.Errorf("it never said %s:\n%s", want, printed)
		}
	}
}
