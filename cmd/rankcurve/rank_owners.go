package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/rankcurve/rankcurve/store"
)

// maxOwnerLine is far above any owner, and keeps a file without line ends from being
// read as one line.
const maxOwnerLine = 1 << 16

// readOwners reads a list of owners, one per line; empty lines do not count, nor do spaces
// around an owner, as in the files that load reads.
func (p *program) readOwners(ctx context.Context, path string) (owners []string, err error) {
	r, name := p.in, "standard input"
	if path != "-" {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no file %s; name one that is there, or - for standard input", path)
		}
		if err != nil {
			return nil, fmt.Errorf("read owners: %w", err)
		}
		defer f.Close()
		r, name = f, path
	}
	owners, err = p.listedOwners(ctx, r, name)
	if err == nil && len(owners) == 0 {
		return nil, fmt.Errorf("%s lists no owners; write one per line", name)
	}
	return owners, err
}

// listedOwners refuses the whole list for one that cannot be an owner, as an argument
// is refused: answered in part, the exit code would depend on the owners' order.
func (p *program) listedOwners(ctx context.Context, r io.Reader, name string) (owners []string, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<12), maxOwnerLine)
	line, commas, comma := 0, 0, ""
	for lines.Scan() && ctx.Err() == nil {
		text := lines.Bytes()
		if line++; line == 1 {
			text = bytes.TrimPrefix(text, byteOrderMark)
		}
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		owner := string(text)
		if len(owners) == 0 && headingLine.MatchString(owner) {
			return nil, usagef("%s:%d: %q looks like a heading; a list of owners has one per line, and none: take the line out, or name an owner of that name on the command line", name, line, owner)
		}
		if strings.Contains(owner, ",") {
			if commas++; commas == 1 {
				comma = fmt.Sprintf("%s:%d: %q", name, line, owner)
			}
		}
		if err := store.ValidateOwner(owner); err != nil {
			return nil, usagef("%s:%d: %s; correct the line, or take it out", name, line, bare(err))
		}
		owners = append(owners, owner)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, usagef("%s:%d: the line is longer than %s bytes; write one owner per line", name, line+1, humanize.Comma(maxOwnerLine))
	}
	if err := errors.Join(lines.Err(), ctx.Err()); err != nil {
		return nil, fmt.Errorf("read owners: %w", err)
	}
	if commas > 0 {
		fmt.Fprintf(p.err, "warning: %s is taken for one owner, with its comma (%s of the list): a list has one owner per line, and no other cells\n", legible(comma), counting(commas, "such line"))
	}
	return owners, nil
}

// headingLine is the first line of a table with a column of owners.
var headingLine = regexp.MustCompile(`(?i)^"?owner"?(,|;|\t|$)`)
