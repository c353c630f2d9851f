package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	gomemcache "github.com/bradfitz/gomemcache/memcache"

	"github.com/rankcurve/rankcurve/predictor"
	"github.com/rankcurve/rankcurve/store"
	"github.com/rankcurve/rankcurve/store/memcache"
	"github.com/rankcurve/rankcurve/store/storetest/servers"
)

const patience = 20 * time.Second

// patient waits for a memcached that a busy machine keeps waiting.
const patient = "RANKCURVE_CACHE_MEMCACHED_TIMEOUT=20s"

// bePatient is so for the commands that a reader types.
func bePatient(t *testing.T) {
	t.Helper()
	name, value, _ := strings.Cut(patient, "=")
	t.Setenv(name, value)
}

// withMemcached is an environment in which curves go through a memcached, which a busy machine
// may keep waiting: to be slow is not what is tested.
func withMemcached(addr string) []string {
	return []string{"RANKCURVE_CACHE_KIND=memcached", "RANKCURVE_CACHE_MEMCACHED_SERVERS_0=" + addr, patient}
}

// cachedCurve is what an app server finds in memcached under the key that the
// command line tells, which is the documented one.
func cachedCurve(t *testing.T, addr, table string, shown result) *predictor.Curve {
	t.Helper()
	row := shown.ok().rows()[0]
	id, _ := row["board_id"].(string)
	if id == "" || row["cache_key"] != memcache.Key(table, store.CurveKey{Board: "games", Column: "xp", ID: id}) {
		t.Errorf("curve show: %v", row)
	}
	client := gomemcache.New(addr)
	client.Timeout = patience
	item, err := client.Get(fmt.Sprint(row["cache_key"]))
	if err != nil {
		t.Fatal(err)
	}
	curve, err := predictor.Decode(item.Value)
	if err != nil {
		t.Fatal(err)
	}
	return curve
}

// The curve of a table is in memcached under the table's name; when memcached is
// lost, the table answers and a warning says so.
func TestCurvesInMemcached(t *testing.T) {
	memcached := servers.NewMemcached(t)
	addr := memcached.Addr
	c := newCloud(t)
	c.stopClock()
	c.environ = append(c.environ, withMemcached(addr)...)
	c.games(50)
	if curve := cachedCurve(t, addr, c.table, c.bare("curve", "show", "games", "--json")); curve.Total() != 50 {
		t.Errorf("the cached curve has %d entries", curve.Total())
	}
	const asked = "rank games p40 --mode estimate"
	there := c.bare(strings.Fields(asked)...).ok("40")
	memcached.Kill()
	lost := c.bare(strings.Fields(asked)...)
	if lost.code != exitDone || lost.out != there.out || !strings.Contains(lost.err, "level=WARN") || !strings.Contains(lost.err, "memcached") {
		t.Errorf("without memcached: exit code %d\n%s%s\nwith it:\n%s", lost.code, lost.out, lost.err, there.out)
	}
	rebuilt := c.bare("rebuild", "games")
	if rebuilt.code != exitDone || !strings.Contains(rebuilt.out, "generation 2 of 50") {
		t.Errorf("rebuild without memcached: %d\n%s%s", rebuilt.code, rebuilt.out, rebuilt.err)
	}
	for _, r := range []result{lost, rebuilt, c.bare("curve", "show", "games"), c.bare("top", "games", "--json")} {
		if strings.Count(r.err, "level=WARN") != 1 || strings.Count(r.err, store.ErrUnavailable.Error()) != 1 {
			t.Errorf("%s: not one warning that says once what is wrong:\n%s", r.line, r.err)
		}
	}
	c.bare("--cache", "none", "rank", "games", "p40").ok("40")
}

// A table that was deleted and made anew has nothing of the old one's curves, though
// memcached still holds them under a generation as high.
func TestATableMadeAnewBehindMemcached(t *testing.T) {
	addr := servers.NewMemcached(t).Addr
	c := newCloud(t)
	c.environ = append(c.environ, withMemcached(addr)...)
	c.games(50)
	c.bare("curve", "show", "games").ok("entries      50", "cache key    rankcurve:")
	c.bare("table", "delete", "--yes").ok()
	c.bare("table", "create", "--column", "xp").ok()
	c.bare("load", "games", c.players(7)).ok()
	c.bare("rank", "games", "p7", "--mode", "estimate").fails(exitNotFound, "no curve of games.xp yet")
	c.bare("rank", "games", "p7").ok("exact")
	c.bare("rebuild", "games").ok("generation 1 of 7 entries")
	if row := c.bare("rank", "games", "p7", "--mode", "estimate", "--json").ok().rows()[0]; row["of"] != 7.0 || row["rank"] != 7.0 {
		t.Errorf("rank %v, want 7 of 7", row)
	}
	if curve := cachedCurve(t, addr, c.table, c.bare("curve", "show", "games", "--json")); curve.Total() != 7 {
		t.Errorf("the cached curve has %d entries", curve.Total())
	}
}

// The same of an embedded store's file that was deleted.
func TestAFileMadeAnewBehindMemcached(t *testing.T) {
	addr := servers.NewMemcached(t).Addr
	s := newShell(t)
	s.environ = withMemcached(addr)
	s.board(20)
	if err := os.Remove(s.db()); err != nil {
		t.Fatal(err)
	}
	s.run("load", "games", s.players(7)).ok()
	s.run("rank", "games", "p7", "--mode", "estimate").fails(exitNotFound, "no curve of games.xp yet")
	s.run("rebuild", "games").ok("generation 1 of 7 entries")
	if row := s.run("rank", "games", "p7", "--mode", "estimate", "--json").ok().rows()[0]; row["of"] != 7.0 {
		t.Errorf("rank %v, want of 7", row)
	}
}

func TestMemcachedBeforeTheEmbeddedStore(t *testing.T) {
	addr := servers.NewMemcached(t).Addr
	s := newShell(t)
	s.environ = []string{patient}
	s.run("load", "games", s.players(20)).ok("next: rankcurve --db")
	s.run("--memcached", addr, "rebuild", "games").ok("generation 1 of 20")
	if curve := cachedCurve(t, addr, s.db(), s.run("--memcached", addr, "curve", "show", "games", "--json")); curve.Total() != 20 {
		t.Errorf("the cached curve has %d entries", curve.Total())
	}
	s.run("--memcached", addr, "load", "games", s.players(20)).ok(fmt.Sprintf("next: rankcurve --db %s --memcached %s rebuild games", s.db(), addr))
}

// A name of memcached that cannot be looked up takes nothing from those who ask, nor from a
// worker; a text that can be no address is refused, with its key.
func TestAMemcachedWithoutAnAddress(t *testing.T) {
	s := newShell(t)
	s.board(20)
	for _, line := range [][]string{{"rank", "games", "p7", "--mode", "estimate"}, {"rebuild", "games"}, {"worker", "--once"}} {
		r := s.run(append([]string{"--memcached", "memcached.invalid:11211"}, line...)...)
		if r.code != exitDone || !strings.Contains(r.err, "level=WARN") || !strings.Contains(r.err, "memcached.invalid") {
			t.Errorf("%v: no warning that names the host: %s", line, r.err)
		}
	}
	s.run("--memcached", "memcached.invalid", "top", "games").fails(exitUsage, `cache.memcached.servers[0]: "memcached.invalid" is not HOST:PORT`)
	s.run("--memcached", "memcached.invalid:11211", "config", "check").ok("memcached.invalid:11211")
	s.environ = []string{"RANKCURVE_CACHE_MEMCACHED_EXPIRATION=31d"}
	s.run("config", "check").fails(exitUsage, "RANKCURVE_CACHE_MEMCACHED_EXPIRATION: cache.memcached.expiration: 31d is more than 30d")
}

// What is configured is what memcached keeps a curve for, by its own word.
func TestCurvesExpireInMemcached(t *testing.T) {
	addr := servers.NewMemcached(t).Addr
	for said, most := range map[string]int{"": 600, "2h": 7200, "0s": -1} {
		s := newShell(t)
		s.environ = []string{"RANKCURVE_CACHE_KIND=memcached", "RANKCURVE_CACHE_MEMCACHED_SERVERS_0=" + addr, patient, "RANKCURVE_CACHE_MEMCACHED_EXPIRATION=" + said}
		s.board(20)
		key := fmt.Sprint(s.run("curve", "show", "games", "--json").ok().rows()[0]["cache_key"])
		if left := secondsLeft(t, addr, key); left > most || most > 0 && left < most/2 {
			t.Errorf("%q: memcached keeps it for %d s, want %d", said, left, most)
		}
	}
}

// secondsLeft is how long memcached keeps a key from now on; -1 is for ever.
func secondsLeft(t *testing.T, addr, key string) (seconds int) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprintf(conn, "mg %s t\r\n", key); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanf(conn, "HD t%d\r\n", &seconds); err != nil {
		t.Fatal(err)
	}
	return seconds
}
