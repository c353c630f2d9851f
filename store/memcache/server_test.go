package memcache_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

// server is a real memcached on a port of its own.
type server struct {
	addr string
	cmd  *exec.Cmd
}

func startServer(t *testing.T) *server {
	t.Helper()
	if _, err := exec.LookPath("memcached"); err != nil {
		missing(t, "memcached", "memcached is not installed (Debian: apt-get install memcached)")
	}
	s := &server{addr: servers.Address(t)}
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

// missing skips a test, or fails it where RANKCURVE_TEST_REQUIRE names what is
// missing.
func missing(t *testing.T, what, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("RANKCURVE_TEST_REQUIRE"), ","), what) {
		t.Fatalf("%s, and RANKCURVE_TEST_REQUIRE asks for it", why)
	}
	t.Skip(why)
}

// start runs memcached, empty, on the server's port.
func (s *server) start(t *testing.T) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.addr)
	s.cmd = exec.Command("memcached", "-l", "127.0.0.1", "-p", port, "-U", "0", "-m", "64", "-u", "nobody") // -u counts for root alone
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "memcached answers", func() bool {
		conn, err := net.Dial("tcp", s.addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// say sends a command and returns the first line of the answer.
func (s *server) say(t *testing.T, command string) string {
	t.Helper()
	line, _, done := s.ask(t, command)
	done()
	return line
}

// value is what a plain client reads under a key; nil if it is not there.
func (s *server) value(t *testing.T, key string) []byte {
	t.Helper()
	line, rest, done := s.ask(t, "get "+key)
	defer done()
	var flags, size int
	if _, err := fmt.Sscanf(line, "VALUE "+key+" %d %d", &flags, &size); err != nil {
		if line != "END" {
			t.Fatalf("get: %s", line)
		}
		return nil
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(rest, data); err != nil {
		t.Fatal(err)
	}
	return data
}

func (s *server) set(t *testing.T, key string, value []byte) {
	t.Helper()
	if got := s.say(t, fmt.Sprintf("set %s 0 0 %d\r\n%s", key, len(value), value)); got != "STORED" {
		t.Fatalf("set: %s", got)
	}
}

// ask sends a command over a connection of its own, which done closes.
func (s *server) ask(t *testing.T, command string) (line string, rest io.Reader, done func()) {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, command+"\r\n"); err != nil {
		t.Fatal(err)
	}
	answer := bufio.NewReader(conn)
	line, err = answer.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), answer, func() { conn.Close() }
}

const patience = 20 * time.Second

// eventually waits for what other goroutines or processes are about to do.
func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !check(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %s it is not yet so: %s", patience, what)
		}
	}
}
