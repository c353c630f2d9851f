package servers

import (
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Memcached is a real memcached on a port of its own, which can be killed and begun
// anew there. Its methods wait by the machine's clock: a test whose clock is another's
// calls them from outside of that.
type Memcached struct {
	Addr string // HOST:PORT

	tb      testing.TB
	command *exec.Cmd
}

// NewMemcached runs a memcached until the test's end. Where none is installed the test is
// skipped, or fails where RequireVariable says memcached.
func NewMemcached(tb testing.TB) *Memcached {
	tb.Helper()
	if _, err := exec.LookPath("memcached"); err != nil {
		skip(tb, "memcached", "memcached is not installed: .ci/servers installs it")
	}
	m := &Memcached{Addr: Address(tb), tb: tb}
	if err := m.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(m.Kill)
	return m
}

// memcachedPatience is how long it may take to begin.
const memcachedPatience = 20 * time.Second

// Start runs it, empty, and returns when it answers.
func (m *Memcached) Start() error {
	_, port, _ := net.SplitHostPort(m.Addr)
	m.command = exec.Command("memcached", "-l", "127.0.0.1", "-p", port, "-U", "0", "-m", "64", "-u", "nobody") // -u counts for root alone
	m.command.Stderr = os.Stderr
	if err := m.command.Start(); err != nil {
		return err
	}
	for deadline := time.Now().Add(memcachedPatience); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.Dial("tcp", m.Addr)
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(deadline) {
			return err
		}
	}
}

// Kill ends it at once, as SIGKILL does, with all that it held. A second Kill does nothing.
func (m *Memcached) Kill() {
	if m.command == nil {
		return
	}
	_ = m.command.Process.Kill()
	_ = m.command.Wait()
	m.command = nil
}
