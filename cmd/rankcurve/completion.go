package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

const completionDescription = `Prints a script that completes commands and flags in a shell.

   bash:  source <(rankcurve completion bash)             in ~/.bashrc
   zsh:   source <(rankcurve completion zsh)              in ~/.zshrc
   fish:  rankcurve completion fish > ~/.config/fish/completions/rankcurve.fish`

// completionWord, before the words typed so far, asks the program for what may
// follow.
const completionWord = "__complete"

// The scripts ask the program itself, so that they never fall behind it. Where
// it has nothing to say, the shell completes files.
const (
	bashCompletion = `_rankcurve() {
  local cur=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "$cur"))
}
complete -o bashdefault -o default -F _rankcurve rankcurve
`
	zshCompletion = `_rankcurve() {
  local -a options
  options=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n ${options[1]} ]]; then
    compadd -- "${options[@]}"
  else
    _files
  fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _rankcurve rankcurve
`
)

func (p *program) completionCommand() *cli.Command {
	return &cli.Command{
		Name:        "completion",
		Usage:       "print a completion script for bash, zsh or fish",
		ArgsUsage:   "bash|zsh|fish",
		Description: completionDescription,
		Action: func(c *cli.Context) error {
			if err := arguments(c, 1, 1); err != nil {
				return err
			}
			var script string
			switch shell := c.Args().First(); shell {
			case "bash":
				script = bashCompletion
			case "zsh":
				script = zshCompletion
			case "fish":
				fish, err := c.App.ToFishCompletion()
				if err != nil {
					return fmt.Errorf("write the fish script: %w", err)
				}
				script = fish
			default:
				return usagef("there is no script for %q; there are bash, zsh and fish", shell)
			}
			fmt.Fprint(c.App.Writer, script)
			return nil
		},
	}
}

// completions are the commands, or flags, that the last word may become; none
// where a file or a name is to be typed.
func completions(app *cli.App, words []string) (candidates []string) {
	last := ""
	if n := len(words); n > 0 {
		last, words = words[n-1], words[:n-1]
	}
	l := line{app: app, commands: app.Commands}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if word == "--" {
			return nil
		}
		if !isFlag(word) {
			if l.word(word) != nil {
				return nil
			}
			continue
		}
		taken, err := l.flag(word, words)
		if err != nil { // the last word is its value
			return nil
		}
		words = words[taken:]
	}
	candidates = commandNames(l.commands)
	if strings.HasPrefix(last, "-") {
		candidates = nil
		for _, name := range l.flagNames() {
			candidates = append(candidates, dashed(name))
		}
	}
	return slices.DeleteFunc(candidates, func(c string) bool { return !strings.HasPrefix(c, last) })
}
