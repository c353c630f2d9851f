package rankcurve_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/rankcurve/rankcurve"

// A direction says what the packages of one folder may import: packages of this
// module ("" is the root's, "x/..." is x and all below it) and of others. The
// standard library is always allowed.
type direction struct {
	folder  string // "x" is x and all below it, "x/" only what is below; "" is the root package alone
	own     []string
	foreign []string // path prefixes; "*" is anything
}

// The first direction whose folder holds a package is the one that counts.
var directions = []direction{
	{"predictor/kriging", nil, []string{"gonum.org/v1/gonum"}},
	{"predictor", []string{"predictor/internal/..."}, []string{"google.golang.org/protobuf"}},
	{"store/storetest", []string{"store"}, []string{"pgregory.net/rapid"}},
	{"store/", []string{"store"}, []string{"*"}}, // and a backend's own sub-packages
	{"store", nil, nil},
	{"sampler", []string{"predictor/...", "store", "sampler/..."}, []string{"*"}},
	{"jobs", []string{"sampler", "predictor", "store", "jobs/..."}, []string{"*"}},
	{"config", []string{"", "predictor/...", "store/...", "sampler/...", "jobs/...", "config/..."}, []string{"*"}},
	{"cmd", []string{"", "predictor/...", "store/...", "sampler/...", "jobs/...", "config/...", "cmd/..."}, []string{"*"}},
	{"", []string{"predictor", "store"}, []string{"*"}},
}

var (
	topFolders    = []string{"cmd", "sampler", "predictor", "store", "jobs", "config", "docs", "bench"}
	namelessNames = []string{"util", "utils", "common", "helper", "helpers"}
)

func TestImportsGoOneWay(t *testing.T) {
	faults, files := checkModule(t, os.DirFS("."))
	for _, fault := range faults {
		t.Error(fault)
	}
	if files < 5 {
		t.Errorf("looked at %d Go files: the walk does not find the module", files)
	}
}

// checkModule reports every breach of the rules, and how many files it read.
func checkModule(t *testing.T, root fs.FS) (faults []string, files int) {
	t.Helper()
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			fault, skip := checkFolder(root, name)
			faults = append(faults, fault...)
			if skip {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		faults = append(faults, checkSource(name, source)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return faults, files
}

// checkFolder judges a folder by its name, and says whether to pass it by: dot
// folders, testdata, what make builds, and other modules (bench).
func checkFolder(root fs.FS, name string) (faults []string, skip bool) {
	base := path.Base(name)
	if name == "." {
		return nil, false
	}
	if strings.HasPrefix(base, ".") || base == "testdata" || name == "bin" {
		return nil, true
	}
	if !strings.Contains(name, "/") && !slices.Contains(topFolders, name) {
		faults = append(faults, fmt.Sprintf("%s: a top-level folder that the layout does not know (%s)", name, strings.Join(topFolders, ", ")))
	}
	_, err := fs.Stat(root, name+"/go.mod")
	return faults, err == nil
}

func checkSource(name string, source []byte) (faults []string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	if slices.Contains(namelessNames, file.Name.Name) {
		faults = append(faults, fmt.Sprintf("%s: package %s says nothing about what is in it", name, file.Name.Name))
	}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if why := forbidden(path.Dir(name), imported); why != "" {
			faults = append(faults, fmt.Sprintf("%s: imports %q: %s", files.Position(spec.Pos()), imported, why))
		}
	}
	for _, declaration := range file.Decls {
		f, ok := declaration.(*ast.FuncDecl)
		if ok && f.Recv == nil && f.Name.Name == "init" && !ast.IsGenerated(file) {
			faults = append(faults, fmt.Sprintf("%s: func init() runs for whoever imports the package; make it a function that is called", files.Position(f.Pos())))
		}
	}
	return faults
}

// forbidden says why a package in a folder may not import another, or "".
func forbidden(folder, imported string) string {
	folder = strings.TrimPrefix(folder, ".")
	own, isOwn := strings.CutPrefix(imported, module)
	isOwn = isOwn && (own == "" || own[0] == '/')
	if !isOwn && !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") {
		return "" // the standard library: its first element has no dot
	}
	for _, d := range directions {
		if !holds(d.folder, folder) {
			continue
		}
		if isOwn {
			return d.forbidsOwn(folder, strings.TrimPrefix(own, "/"))
		}
		if slices.ContainsFunc(d.foreign, func(p string) bool { return p == "*" || within(p, imported) }) {
			return ""
		}
		return fmt.Sprintf("%q may import the standard library and %v", d.folder, d.foreign)
	}
	return "no rule for this folder: add one to directions"
}

func (d direction) forbidsOwn(folder, imported string) string {
	for _, allowed := range d.own {
		tree, isTree := strings.CutSuffix(allowed, "/...")
		if imported == allowed || isTree && within(tree, imported) {
			return ""
		}
	}
	if d.folder == "store/" && siblings(folder, imported) {
		return ""
	}
	return fmt.Sprintf("%q may import %q of this module", d.folder, d.own)
}

// siblings are packages under the same backend: store/bolt and store/bolt/page.
func siblings(a, b string) bool {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	return len(x) > 1 && len(y) > 1 && x[0] == y[0] && x[1] == y[1]
}

func holds(rule, folder string) bool {
	if strings.HasSuffix(rule, "/") {
		return strings.HasPrefix(folder, rule)
	}
	return within(rule, folder) && (rule != "" || folder == "")
}

func within(parent, child string) bool {
	return child == parent || strings.HasPrefix(child, parent+"/")
}

// The checker fails where it should: each fabricated file breaks one rule, and
// the want is a part of what is said about it.
func TestImportCheckerSeesViolations(t *testing.T) {
	importing := func(p string) string { return "package p\nimport _ \"" + p + "\"\n" }
	cases := []struct{ name, source, want string }{
		{"predictor/a.go", importing(module + "/store"), `may import ["predictor/internal/..."]`},
		{"predictor/a.go", importing("gonum.org/v1/gonum/stat"), "may import the standard library and [google.golang.org/protobuf]"},
		{"predictor/internal/x/a.go", importing(module + "/sampler"), "predictor"},
		{"store/a.go", importing("go.etcd.io/bbolt"), "may import the standard library and []"},
		{"store/a.go", importing(module + "/store/bolt"), "may import []"},
		{"store/bolt/a.go", importing(module + "/store/dynamo"), `may import ["store"]`},
		{"store/bolt/a.go", importing(module + "/predictor"), `may import ["store"]`},
		{"store/storetest/a.go", importing("github.com/aws/aws-sdk-go-v2/aws"), "rapid"},
		{"sampler/a.go", importing(module + "/jobs"), "sampler"},
		{"sampler/a.go", importing(module + "/store/bolt"), "sampler"},
		{"sampler/a.go", importing(module), "sampler"},
		{"jobs/a.go", importing(module + "/config"), "jobs"},
		{"a.go", importing(module + "/store/bolt"), `"" may import`},
		{"a.go", importing(module + "/sampler"), `"" may import`},
		{"config/a.go", importing(module + "/cmd/rankcurve/internal/x"), "config"},
		{"config/a.go", importing(module + "/cmd"), "config"},
		{"server/a.go", "package server", "top-level folder"},
		{"sampler/util/a.go", "package util", "package util"},
		{"sampler/a.go", "package sampler\nfunc init() {}", "func init()"},
		{"sampler/a.go", "package", "expected"},
	}
	for _, c := range cases {
		faults, _ := checkModule(t, fstest.MapFS{c.name: {Data: []byte(c.source)}})
		if len(faults) != 1 || !strings.Contains(faults[0], c.want) {
			t.Errorf("%s with %q: got %q, want one fault with %q", c.name, c.source, faults, c.want)
		}
	}
}

func TestImportCheckerLetsTheDesignThrough(t *testing.T) {
	importing := func(paths ...string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("package p\nimport (\n_ \"" + strings.Join(paths, "\"\n_ \"") + "\"\n)\n")}
	}
	faults, files := checkModule(t, fstest.MapFS{
		"predictor/a.go":                     importing("math", "google.golang.org/protobuf/proto", module+"/predictor/internal/curvepb"),
		"predictor/internal/curvepb/a.pb.go": {Data: []byte("// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage curvepb\n\nfunc init() {}\n")},
		"store/a.go":                         importing("context"),
		"store/bolt/a.go":                    importing("go.etcd.io/bbolt", module+"/store", module+"/store/bolt/page"),
		"store/bolt/page/a.go":               importing(module + "/store/bolt/internal/key"),
		"store/storetest/a.go":               importing("testing", "pgregory.net/rapid", module+"/store"),
		"sampler/a.go":                       importing(module+"/predictor", module+"/store"),
		"jobs/a.go":                          importing(module+"/sampler", module+"/predictor", module+"/store"),
		"config/a.go":                        importing(module+"/store", module+"/jobs", module, "github.com/goccy/go-yaml/ast"),
		"cmd/rankcurve/main.go":              importing(module+"/config", module+"/store/bolt", module+"/cmd/rankcurve/internal/httpapi"),
		"a.go":                               importing(module+"/predictor", module+"/store"),
		"bench/go.mod":                       {Data: []byte("module bench")},
		"bench/a.go":                         {Data: []byte("package util")},
		".cache/a.go":                        {Data: []byte("package util")},
		"sampler/testdata/a.go":              {Data: []byte("package util")},
		"sampler/initial.go":                 {Data: []byte("package sampler\n\ntype T int\n\nfunc (T) init() {}\n")},
		"docs/decisions.md":                  {Data: []byte("# Decisions")},
	})
	if len(faults) != 0 || files != 12 {
		t.Errorf("read %d files, want 12, and found %q", files, faults)
	}
}
