package main

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/rankcurve/rankcurve/config"
)

// Errors of the store and of the library name commands to run next, and do not know
// on which store this one ran. Without its flags such a command would look elsewhere
// when it is pasted, or make another table.

// A command in a text stands between backquotes.
var (
	ownCommand = regexp.MustCompile("`(rankcurve)( [a-z][^`]*)`")
	awsCommand = regexp.MustCompile("`(aws dynamodb [a-z-]+)([^`]*)`")
)

// withFlags adds to the commands in a text the flags of this run that they lack. Ones
// whose first word is a flag were written with the flags in mind.
func withFlags(c *cli.Context, text string) string {
	if c == nil {
		return text
	}
	text = insertFlags(ownCommand, text, ownFlags(c))
	return insertFlags(awsCommand, text, awsFlags(c))
}

// insertFlags puts flags behind the first group of each match, but for those that the
// second has.
func insertFlags(command *regexp.Regexp, text string, flags []string) string {
	return command.ReplaceAllStringFunc(text, func(match string) string {
		groups := command.FindStringSubmatch(match)
		if groups[2] == " demo" {
			return match // makes a store of its own
		}
		line := groups[1]
		for i := 0; i < len(flags); i += 2 {
			if !strings.Contains(groups[2]+" ", " "+flags[i]+" ") {
				line += " " + flags[i] + " " + quoted(flags[i+1])
			}
		}
		return "`" + line + groups[2] + "`"
	})
}

// ownFlags are the flags, each with its value, that say where boards are kept.
func ownFlags(c *cli.Context) (flags []string) {
	if c.IsSet("config") {
		flags = append(flags, "--config", c.String("config"))
	}
	for _, f := range clientFlags {
		if c.IsSet(f.name) {
			flags = append(flags, "--"+f.name, f.value(c))
		}
	}
	return flags
}

// dynamoKey is where the DynamoDB in use is found in the library's metadata, once the
// configuration has been read.
const dynamoKey = "dynamodb"

// awsFlags say where the table is, by the names of the AWS command line. That one
// reads neither our file nor our environment: without an endpoint that stands there, a
// command that deletes would look for the same table in the account itself.
func awsFlags(c *cli.Context) (flags []string) {
	in, _ := c.App.Metadata[dynamoKey].(config.DynamoDB)
	for _, f := range [][3]string{{"endpoint", "--endpoint-url", in.Endpoint}, {"region", "--region", in.Region}} {
		if value := cmp.Or(f[2], c.String(f[0])); value != "" {
			flags = append(flags, f[1], value)
		}
	}
	return flags
}
