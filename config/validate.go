package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rankcurve/rankcurve/store"
)

// Validate reports every fault at once, nil if there is none. [Load] has done it.
func (c Config) Validate() error { return errors.Join(c.faults()...) }

func (c Config) faults() (faults []error) {
	report := func(key, text string) {
		faults = append(faults, fault{c.where(key), key, text})
	}
	for _, f := range slices.Concat(c.Store.faults(), c.Cache.faults(), c.Cursor.faults(), c.Worker.faults(), c.Log.faults()) {
		report(f.key, f.text)
	}
	common := c.RefreshDefaults.faults()
	for _, f := range common {
		report("refresh."+f.key, f.text)
	}
	first := map[string]int{}
	for i, b := range c.Boards {
		key := fmt.Sprintf("boards[%d].", i)
		for _, err := range parts(b.Board.Validate()) {
			field, text, _ := strings.Cut(err.Error(), ": ")
			report(key+field, text)
		}
		for _, f := range append(b.familyFaults(), b.limitFaults()...) {
			report(key+f.key, f.text)
		}
		if family, _, ok := store.ParseBoardName(b.Name); ok && slices.ContainsFunc(c.Boards, func(o Board) bool { return o.Name == family && o.IsFamily() }) {
			report(key+"name", fmt.Sprintf("%q is a board of the family %s already; leave it out", b.Name, family))
		}
		if j, twice := first[b.Name]; twice && b.Name != "" {
			report(key+"name", fmt.Sprintf("%q is the name of boards[%d] too; give each board its own", b.Name, j))
		} else {
			first[b.Name] = i
		}
		for _, f := range b.Refresh.faults() {
			_, own := c.origins[key+"refresh."+f.key]
			if own || !slices.Contains(common, f) { // what is wrong with the defaults is said once
				report(key+"refresh."+f.key, f.text)
			}
		}
	}
	return faults
}

// faults are those of the keys below refresh, without their place.
func (r Refresh) faults() (faults []fault) {
	report := func(key, format string, args ...any) {
		faults = append(faults, fault{key: key, text: fmt.Sprintf(format, args...)})
	}
	if methods := []Method{MethodAuto, MethodCounted, MethodScores}; !slices.Contains(methods, r.Method) {
		report("method", "%q is not a method; use one of %v", r.Method, methods)
	}
	if r.Walk < 0 {
		report("walk", "%d is negative; use 0 for all shards", r.Walk)
	}
	if r.Walk > 0 && r.Method == MethodScores {
		report("walk", "%d shards cannot stand for all with method scores, which reads every one; use auto or counted, or 0", r.Walk)
	}
	if r.ReadBudget < 0 {
		report("read_budget", "%d is negative; use 0 for no limit", r.ReadBudget)
	}
	if r.CurveBytes < 1024 || r.CurveBytes > 65536 {
		report("curve_bytes", "%d is not in 1024..65536; 16384 suits most boards", r.CurveBytes)
	}
	if r.Head < 100 || r.Head > 100000 {
		report("head", "%d is not in 100..100000; 10000 suits most boards", r.Head)
	}
	if tolerances := []Tolerance{ToleranceSqrt, ToleranceAbs}; !slices.Contains(tolerances, r.Tolerance) {
		report("tolerance", "%q is not a tolerance; use one of %v", r.Tolerance, tolerances)
	}
	if r.Audit < 0 || r.Audit > 10000 {
		report("audit", "%d is not in 0..10000; 0 asks nobody, 100 suits most boards", r.Audit)
	}
	if r.AuditBudget < 0 {
		report("audit_budget", "%d is negative; use 0 for no limit", r.AuditBudget)
	}
	return slices.Concat(faults, r.scheduleFaults(), r.Pace.faults(), r.History.faults())
}

// where says where a key was set, or else what is above it.
func (c Config) where(key string) string {
	for ; key != ""; key = parent(key) {
		if place, said := c.origins[key]; said {
			return place
		}
	}
	return ""
}

// parts takes a joined error apart.
func parts(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
