package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// interleave puts the words of a command line into the order that the library
// reads: global flags, the command, its flags, "--", its arguments. The library
// stops reading flags at the first argument; people write them wherever they
// come to mind. Each flag with a value becomes one word, so that a value such as
// -3.5 cannot be taken for a flag.
//
// Unknown flags, missing values and unknown commands are found here, where all
// that the user wrote is known.
func interleave(app *cli.App, words []string) ([]string, error) {
	l := line{app: app, commands: app.Commands}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			l.arguments = append(l.arguments, words...)
			words = nil
		case isFlag(word):
			taken, err := l.flag(word, words)
			if err != nil {
				return nil, err
			}
			words = words[taken:]
		default:
			if err := l.word(word); err != nil {
				return nil, err
			}
		}
	}
	if slices.Contains(l.flags, "--help") || slices.Contains(l.flags, "-h") {
		l.arguments = nil // the library would take one for a topic of help
	}
	return l.ordered()
}

var negativeNumber = regexp.MustCompile(`^-\.?[0-9]`)

// isFlag tells flags from "-" (standard input) and negative numbers.
func isFlag(word string) bool {
	return len(word) > 1 && word[0] == '-' && !negativeNumber.MatchString(word)
}

// A line is a command line under way.
type line struct {
	app       *cli.App
	path      []*cli.Command // the command so far, "curve" then "show"
	commands  cli.Commands   // what may follow it
	globals   []string
	flags     []string
	arguments []string
}

// word takes a word that is no flag: a command while there can be one, then an
// argument.
func (l *line) word(word string) error {
	if len(l.commands) == 0 {
		l.arguments = append(l.arguments, word)
		return nil
	}
	for _, c := range l.commands {
		if c.HasName(word) {
			l.path, l.commands = append(l.path, c), c.Subcommands
			return nil
		}
	}
	meant := nearest(word, commandNames(l.commands))
	return usagef("there is no command %q; did you mean %q? `%s --help` lists all", l.with(word), l.with(meant), l.full())
}

// flag takes a flag and says how many of the words that follow belong to it.
func (l *line) flag(word string, rest []string) (taken int, err error) {
	name, value, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
	flag, global := l.find(name)
	if flag == nil {
		return 0, usagef("there is no flag %s; did you mean %s? `%s --help` lists all", strings.SplitN(word, "=", 2)[0], dashed(nearest(name, l.flagNames())), l.full())
	}
	text := dashed(name)
	switch _, isSwitch := flag.(*cli.BoolFlag); {
	case isSwitch && !hasValue:
	case hasValue:
		text += "=" + value
	case len(rest) == 0 || rest[0] == "--" || l.known(rest[0]):
		return 0, usagef("flag %s needs a value; `%s --help` says which", dashed(name), l.full())
	default:
		text, taken = text+"="+rest[0], 1
	}
	if global {
		l.globals = append(l.globals, text)
	} else {
		l.flags = append(l.flags, text)
	}
	return taken, nil
}

// find looks a flag up: the command's own win over the global ones.
func (l *line) find(name string) (flag cli.Flag, global bool) {
	if len(l.path) > 0 {
		if f := named(slices.Concat(l.path[len(l.path)-1].Flags, []cli.Flag{cli.HelpFlag}), name); f != nil {
			return f, false
		}
	}
	return named(slices.Concat(l.app.Flags, []cli.Flag{cli.HelpFlag, cli.VersionFlag}), name), true
}

// known reports a word that is a flag there is.
func (l *line) known(word string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	flag, _ := l.find(name)
	return isFlag(word) && flag != nil
}

func named(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func (l *line) flagNames() (names []string) {
	flags := slices.Concat([]cli.Flag{cli.HelpFlag, cli.VersionFlag}, l.app.Flags)
	if len(l.path) > 0 {
		flags = append(flags, l.path[len(l.path)-1].Flags...)
	}
	for _, f := range flags {
		names = append(names, f.Names()[0])
	}
	return names
}

// ordered is the line as the library reads it.
func (l *line) ordered() ([]string, error) {
	asked := slices.ContainsFunc(slices.Concat(l.globals, l.flags), func(f string) bool {
		return slices.Contains([]string{"--help", "-h", "--version", "-v"}, f)
	})
	if len(l.path) > 0 && len(l.commands) > 0 && !asked {
		return nil, usagef("`%s` needs one more word: %s", l.full(), strings.Join(commandNames(l.commands), ", "))
	}
	words := slices.Clone(l.globals)
	for _, c := range l.path {
		words = append(words, c.Name)
	}
	words = append(words, l.flags...)
	if len(l.arguments) > 0 {
		words = append(append(words, "--"), l.arguments...)
	}
	return words, nil
}

// name is the command so far, "curve show".
func (l *line) name() string {
	names := make([]string, len(l.path))
	for i, c := range l.path {
		names[i] = c.Name
	}
	return strings.Join(names, " ")
}

// with is the command so far and one more word.
func (l *line) with(word string) string { return strings.TrimSpace(l.name() + " " + word) }

// full is the command so far as it is typed.
func (l *line) full() string { return strings.TrimSpace(l.app.Name + " " + l.name()) }

func commandNames(commands cli.Commands) (names []string) {
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
