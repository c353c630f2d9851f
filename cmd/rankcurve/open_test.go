package main

import (
	"strings"
	"testing"
)

// A configuration that says otherwise than the registry is told by every command.
func TestAConfigurationMayNotContradictTheBoard(t *testing.T) {
	s := newShell(t)
	s.board(3)
	shards := s.file("shards.yaml", "boards: [{name: games, shards: 9, columns: [{name: xp}]}]")
	columns := s.file("columns.yaml", "boards: [{name: games, shards: 16, columns: [{name: gold}]}]")
	same := s.file("same.yaml", "boards: [{name: games, shards: 16, columns: [{name: xp}]}]")
	for _, line := range []string{
		"top games", "rank games p1", "rank games --score 5", "score games --rank 1", "rebuild games", "rebuild games --dry-run",
		"curve show games", "curve plot games", "curve export games", "post games p1 xp=1", "load games " + s.players(3),
	} {
		words := strings.Fields(line)
		s.run(append(words, "--config", shards)...).fails(exitFailed, "has 16 shards, not 9", "correct the configuration, or ")
		s.run(append(words, "--config", columns)...).fails(exitFailed, "has the columns [xp:desc:set:0], not [gold:desc:set:0]", "correct the configuration, or ")
		s.run(append(words, "--config", same)...).ok()
	}
}
