package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
)

const configCheckDescription = `Reads the configuration as every command does (file, then environment, then flags) and
reports all that is wrong with it. If nothing is, it prints what is in effect, as
a file that says the same.

Examples:

   rankcurve --config rankcurve.yaml config check
   RANKCURVE_REFRESH_HEAD=500 rankcurve config check`

func (p *program) configCommand() *cli.Command {
	return &cli.Command{
		Name:  "config",
		Usage: "check the configuration",
		Subcommands: []*cli.Command{{
			Name:        "check",
			Usage:       "report all faults, or print what is in effect",
			Description: configCheckDescription,
			Action: func(c *cli.Context) error {
				if err := arguments(c, 0, 0); err != nil {
					return err
				}
				cfg, err := p.config(c)
				if err != nil {
					return err
				}
				printConfig(c.App.Writer, cfg)
				return nil
			},
		}},
	}
}

// printConfig writes the configuration in the form of its file.
func printConfig(w io.Writer, cfg config.Config) {
	d := cfg.Store.DynamoDB
	fmt.Fprintf(w, "store:\n  kind: %s\n  bolt:\n    path: %s\n", cfg.Store.Kind, yamlText(cfg.Store.Bolt.Path))
	fmt.Fprintf(w, "  dynamodb:\n    table: %s\n    region: %s\n    endpoint: %s\n", yamlText(d.Table), yamlText(d.Region), yamlText(d.Endpoint))
	fmt.Fprintf(w, "cache:\n  kind: %s\n  memcached:\n    servers:\n", cfg.Cache.Kind)
	for _, server := range cfg.Cache.Memcached.Servers {
		fmt.Fprintf(w, "      - %s\n", yamlText(server))
	}
	fmt.Fprintf(w, "    timeout: %s\n    expiration: %s\n", yamlText(cfg.Cache.Memcached.Timeout), yamlText(string(cfg.Cache.Memcached.Expiration)))
	fmt.Fprintf(w, "cursor:\n  %s\n  max_age: %s\n", cursorKeyText(cfg.Cursor), yamlText(string(cfg.Cursor.MaxAge)))
	k := cfg.Worker
	fmt.Fprintf(w, "worker: {listen: %s, concurrent: %d, read_units_per_second: %d, jitter: %s, lease: %s, prune: %s}\nlog: {format: %s}\n",
		yamlText(k.Listen), k.Concurrent, k.ReadUnitsPerSecond, yamlText(string(k.Jitter)), yamlText(string(k.Lease)), yamlText(string(k.Prune)), cfg.Log.Format)
	fmt.Fprint(w, "refresh:\n", refreshText(cfg.RefreshDefaults, "  "))
	p := cfg.Prices
	fmt.Fprintf(w, "prices: {read_unit_million: %s, write_unit_million: %s, ram_gb_month: %s}\n", amountText(p.ReadUnitMillion), amountText(p.WriteUnitMillion), amountText(p.RAMGBMonth))
	if len(cfg.Boards) == 0 {
		return
	}
	fmt.Fprint(w, "boards:\n")
	for _, b := range cfg.Boards {
		fmt.Fprintf(w, "  - name: %s\n    shards: %d\n    columns:\n", yamlText(b.Name), b.Shards)
		for i, c := range b.Columns {
			fmt.Fprintf(w, "      - {name: %s, order: %s, operator: %s, decimals: %d, min_score: %q, max_score: %q}\n", yamlText(c.Name), c.Order, c.Operator, c.Decimals, b.Limits[i].Min, b.Limits[i].Max)
		}
		fmt.Fprintf(w, "    periods: [%s]\n", periodList(b.Periods))
		fmt.Fprintf(w, "    expire_after: {monthly: %q, weekly: %q, daily: %q}\n", b.ExpireAfter.Monthly, b.ExpireAfter.Weekly, b.ExpireAfter.Daily)
		fmt.Fprintf(w, "    late_posts: %s\n    late_grace: %q\n", b.LatePosts, b.LateGrace)
		fmt.Fprint(w, "    refresh:\n", refreshText(b.Refresh, "      "))
	}
}

// amountText is an amount as the file has it.
func amountText(amount float64) string { return strconv.FormatFloat(amount, 'f', -1, 64) }

// cursorKeyText does not tell the key.
func cursorKeyText(c config.Cursor) string {
	if c.Key == "" {
		return `key: ""`
	}
	return "# key: is set, and not shown"
}

func refreshText(r config.Refresh, indent string) string {
	lines := []string{
		"method: " + string(r.Method),
		fmt.Sprintf("walk: %d", r.Walk),
		fmt.Sprintf("read_budget: %d", r.ReadBudget),
		fmt.Sprintf("curve_bytes: %d", r.CurveBytes),
		fmt.Sprintf("head: %d", r.Head),
		"tolerance: " + string(r.Tolerance),
		fmt.Sprintf("pace: {start: %d, max: %d}", r.Pace.Start, r.Pace.Max),
		"schedule: " + yamlText(r.Schedule),
		"timezone: " + yamlText(r.Timezone),
		"idle_max: " + yamlText(string(r.IdleMax)),
		fmt.Sprintf("audit: %d", r.Audit),
		fmt.Sprintf("audit_budget: %d", r.AuditBudget),
		fmt.Sprintf("history: {keep: %s, every: %s}", yamlText(string(r.History.Keep)), yamlText(string(r.History.Every))),
	}
	return indent + strings.Join(lines, "\n"+indent) + "\n"
}

// plainYAML are texts that mean themselves without quotes.
var plainYAML = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*$`)

// yamlText quotes a text where YAML could read it as something else (a number,
// yes, null).
func yamlText(text string) string {
	if plainYAML.MatchString(text) && !yamlWord.MatchString(text) {
		return text
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return text // cannot be: every string has a JSON form
	}
	return string(quoted)
}

var yamlWord = regexp.MustCompile(`(?i)^(null|true|false|yes|no|on|off|y|n)$`)
