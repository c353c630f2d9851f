package config

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const envPrefix = "RANKCURVE_"

// variable is the environment's name of a pattern; # stands for an index.
func variable(pattern string) string {
	return envPrefix + strings.ToUpper(strings.NewReplacer("[]", "_#", ".", "_").Replace(pattern))
}

func (s *settings) readEnviron(environ []string) {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || name == envPrefix+"CONFIG" || strings.HasPrefix(name, envPrefix+"TEST_") || serviceLink.MatchString(name) {
			continue
		}
		key, known := keyOf(name)
		switch {
		case !known:
			s.fault(name, "", "there is no such key; the nearest is %s (%s)", variableAt(key), key)
		case value != "":
			s.put(key, value, name)
		}
	}
}

// serviceLink is a variable that Kubernetes sets in every pod beside a service whose
// name begins with rankcurve.
var serviceLink = regexp.MustCompile(`_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT(_\d+_(TCP|UDP|SCTP)(_|$)|$)`)

// keyOf is the key that a variable sets, or else the one with the nearest name.
func keyOf(name string) (key string, known bool) {
	masked, index := mask(name)
	patterns := make(map[string]string, len(fields))
	for _, f := range fields {
		patterns[variable(f.pattern)] = f.pattern
	}
	if pattern, ok := patterns[masked]; ok {
		return fill(pattern, index), true
	}
	return fill(patterns[nearest(masked, slices.Sorted(maps.Keys(patterns)))], index), false
}

// mask puts # for the numbers of a variable's name.
func mask(name string) (masked string, index []int) {
	parts := strings.Split(name, "_")
	for i, part := range parts {
		// A number that reads back differently ("007") would be a second name of
		// the same key.
		if n, err := strconv.Atoi(part); err == nil && len(part) <= 6 && strconv.Itoa(n) == part {
			parts[i], index = "#", append(index, n)
		}
	}
	return strings.Join(parts, "_"), index
}

// variableAt is the environment's name of a key.
func variableAt(key string) string {
	pattern, index := split(key)
	name := variable(pattern)
	for _, n := range index {
		name = strings.Replace(name, "#", strconv.Itoa(n), 1)
	}
	return name
}

func (s *settings) readOverrides(overrides map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(overrides)) {
		pattern, index := split(key)
		switch {
		case shapeOf(pattern) == scalar:
			s.put(fill(pattern, index), overrides[key], "flag")
			continue
		case shapeOf(pattern+"[]") == scalar:
			s.replace(key, strings.Split(overrides[key], ","), "flag")
			continue
		}
		all := make([]string, len(fields))
		for i, f := range fields {
			all[i] = f.pattern
		}
		s.fault("flag", key, "there is no such key; the nearest is %s", fill(nearest(pattern, all), index))
	}
}
