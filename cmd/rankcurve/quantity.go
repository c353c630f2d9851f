package main

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

var quantityForm = regexp.MustCompile(`^(\d{1,15}(?:\.\d{0,9})?|\.\d{1,9})([KMB]?)$`)

// quantity reads a number as people write large ones: 2000, 2K, 10M, 1.5B.
func quantity(text string) (float64, bool) {
	parts := quantityForm.FindStringSubmatch(strings.ToUpper(strings.ReplaceAll(text, ",", "")))
	if parts == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(parts[1], 64)
	return n * map[string]float64{"": 1, "K": 1e3, "M": 1e6, "B": 1e9}[parts[2]], err == nil
}

// percentage reads 0.5% or 0.5 as a part, 0.005.
func percentage(text string) (float64, bool) {
	parts := quantityForm.FindStringSubmatch(strings.TrimSpace(strings.TrimSuffix(text, "%")))
	if parts == nil || parts[2] != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(parts[1], 64)
	return n / 100, err == nil
}

// quantityOf reads a flag's number, which lies between two others.
func quantityOf(c *cli.Context, flag string, least, most float64) (float64, error) {
	n, ok := quantity(c.String(flag))
	if !ok {
		return 0, usagef("--%s %q is not a number; write it like 2500, 2K, 10M or 1.5B", flag, c.String(flag))
	}
	if n < least || n > most {
		return 0, usagef("--%s %s is not in %s..%s", flag, c.String(flag), plain(least), plain(most))
	}
	return n, nil
}

// percentageOf reads a flag's percentage as a part, above 0 and up to most.
func percentageOf(c *cli.Context, flag string, most float64) (float64, error) {
	part, ok := percentage(c.String(flag))
	if !ok {
		return 0, usagef("--%s %q is not a percentage; write it like 0.5%%", flag, c.String(flag))
	}
	if part <= 0 || part > most {
		return 0, usagef("--%s %s is not above 0 and up to %s%%", flag, c.String(flag), plain(100*most))
	}
	return part, nil
}

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
