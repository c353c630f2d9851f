package servers

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Promtool is the path of Prometheus's promtool, which judges and evaluates rules. Where
// there is none the test is skipped, or fails where RequireVariable says promtool.
func Promtool(tb testing.TB) string {
	tb.Helper()
	path, err := exec.LookPath("promtool")
	if err == nil {
		return path
	}
	if folder, err := installed("promtool"); err == nil {
		if path, err := exec.LookPath(filepath.Join(folder, "promtool")); err == nil {
			return path
		}
	}
	skip(tb, "promtool", "promtool is not installed: .ci/servers installs it")
	return ""
}
