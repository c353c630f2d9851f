// Package servers starts the real processes that backends are tested against, on
// free loopback ports, and ends them with the test.
package servers

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// EndpointVariable points the tests at another DynamoDB endpoint than dynalite.
const EndpointVariable = "RANKCURVE_TEST_DYNAMODB_ENDPOINT"

// RequireVariable lists what must not be skipped: "dynamodb", "memcached", "promtool".
const RequireVariable = "RANKCURVE_TEST_REQUIRE"

// DynamoDB returns the URL of a DynamoDB endpoint: the one that EndpointVariable
// names, or a dynalite that ends with the test. Without either the test is
// skipped, or fails where RequireVariable says dynamodb.
func DynamoDB(tb testing.TB) string {
	tb.Helper()
	if endpoint := os.Getenv(EndpointVariable); endpoint != "" {
		return endpoint
	}
	endpoint, err := startDynalite(tb)
	if err != nil {
		skip(tb, "dynamodb", fmt.Sprintf("no dynalite: %v; .ci/servers installs it, and %s may name another endpoint", err, EndpointVariable))
	}
	return endpoint
}

// skip skips the test, or fails it where the server is required.
func skip(tb testing.TB, server, why string) {
	tb.Helper()
	if slices.Contains(strings.Split(os.Getenv(RequireVariable), ","), server) {
		tb.Fatal(why)
	}
	tb.Skip(why)
}

func startDynalite(tb testing.TB) (endpoint string, err error) {
	tb.Helper()
	folder, err := dynaliteFolder()
	if err != nil {
		return "", err
	}
	cmd := exec.Command("node", "serve.js")
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	stdin, err := cmd.StdinPipe() // it ends with us, however we end
	if err != nil {
		return "", err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	tb.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	port, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("it ended before it listened: %w", err)
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return "http://127.0.0.1:" + strings.TrimSpace(port), nil
}

// dynaliteFolder finds .ci/dynalite from a test's folder upwards.
func dynaliteFolder() (string, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return "", err
	}
	folder, err := installed("dynalite")
	if err != nil {
		return "", err
	}
	_, err = os.Stat(filepath.Join(folder, "node_modules", "dynalite"))
	return folder, err
}

// installed is a folder of .ci, found from a test's folder upwards.
func installed(name string) (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, ".ci", name), nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", os.ErrNotExist
		}
		folder = parent
	}
}
