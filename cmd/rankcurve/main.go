// Command rankcurve keeps leaderboards and answers "what is my rank?" from a
// curve of a few kilobytes, without counting everyone above the player.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(start()) }

// start runs the program until it is done or asked to stop. The first signal
// cancels the context, so that what is under way ends in order; the second has
// its default effect and ends the process at once.
func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	p := program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ(), isTerminal: isTerminal}
	return p.run(ctx, os.Args)
}
