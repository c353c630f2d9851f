package main

import "runtime/debug"

// version is set by the linker (see the Makefile).
var version = "dev"

// versionText is the linker's version, or else what `go install` recorded.
func versionText() string {
	if version != "dev" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return version
	}
	return info.Main.Version
}
