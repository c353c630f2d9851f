package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Settings is what was said so far, and where: a later layer writes over an
// earlier one.
type settings struct {
	values  map[string]string // of scalar keys
	origins map[string]string // of every key, the lists and mappings above a scalar too
	lengths map[string]int    // of lists, once counted
	faults  []error
}

func newSettings() *settings {
	return &settings{values: map[string]string{}, origins: map[string]string{}, lengths: map[string]int{}}
}

func (s *settings) fault(where, key, format string, args ...any) {
	s.faults = append(s.faults, fault{where, key, fmt.Sprintf(format, args...)})
}

// put sets a scalar. What is above it, and was not said before, is said there.
func (s *settings) put(key, value, where string) {
	s.values[key] = value
	s.origins[key] = where
	for above := parent(key); above != ""; above = parent(above) {
		if _, said := s.origins[above]; !said {
			s.origins[above] = where
		}
	}
}

// replace sets a list of scalars as a whole: what was said of it before is gone.
func (s *settings) replace(list string, values []string, where string) {
	ofList := func(key string, _ string) bool { return key == list || strings.HasPrefix(key, list+"[") }
	maps.DeleteFunc(s.values, ofList)
	maps.DeleteFunc(s.origins, ofList)
	for i, value := range values {
		s.put(fmt.Sprintf("%s[%d]", list, i), value, where)
	}
}

// length counts a list's elements, up to the first that is missing.
func (s *settings) length(list string) int {
	n, counted := s.lengths[list]
	if counted {
		return n
	}
	for said := true; said; n++ {
		_, said = s.origins[fmt.Sprintf("%s[%d]", list, n)]
	}
	s.lengths[list] = n - 1
	return n - 1
}

// set writes the chosen values into the configuration.
func (s *settings) set(c *Config, chosen func(key string) bool) {
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		if !chosen(key) || s.beyond(key) {
			continue
		}
		pattern, index := split(key)
		i := slices.IndexFunc(fields, func(f field) bool { return f.pattern == pattern })
		switch target := fields[i].at(c, index).(type) {
		case *string:
			*target = s.values[key]
		case *int:
			s.setInt(target, key)
		case *float64:
			s.setAmount(target, key)
		}
	}
}

func (s *settings) setInt(target *int, key string) {
	n, err := strconv.Atoi(s.values[key])
	if err != nil {
		s.fault(s.origins[key], key, "%q is not a whole number; write it in digits alone, such as 16", s.values[key])
		return
	}
	*target = n
}

// amount is a decimal number as people write it.
var amount = regexp.MustCompile(`^\d{1,9}(\.\d{1,9})?$`)

func (s *settings) setAmount(target *float64, key string) {
	n, err := strconv.ParseFloat(s.values[key], 64)
	if err != nil || !amount.MatchString(s.values[key]) {
		s.fault(s.origins[key], key, "%q is not an amount; write it in digits and a point, such as 0.125", s.values[key])
		return
	}
	*target = n
}

// beyond reports a key whose place in a list does not follow the ones there are.
// It can come from the environment and the flags alone.
func (s *settings) beyond(key string) bool {
	for _, at := range indexes.FindAllStringSubmatchIndex(key, -1) {
		list, n := key[:at[0]], key[at[2]:at[3]]
		length := s.length(list)
		if i, err := strconv.Atoi(n); err != nil || i >= length {
			s.fault(s.origins[key], key, "%s has %d elements, so the next is number %d, not %s; number them without a gap", list, length, length, n)
			return true
		}
	}
	return false
}
