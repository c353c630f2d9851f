package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// A document is one YAML file under way into the settings. It is walked by hand,
// along the schema, because a decoder stops at its first fault.
type document struct {
	*settings
	name    string
	anchors map[string]ast.Node
}

// readYAML takes over what a file says, and reports whether it could be parsed.
func (s *settings) readYAML(name string, data []byte) bool {
	// Keys that are there twice are found by the walk, with all the others.
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		where, text := name, err.Error()
		if e := yaml.Error(nil); errors.As(err, &e) {
			where, text = fmt.Sprintf("%s:%d", name, line(e.GetToken())), e.GetMessage()
		}
		s.fault(where, "", "not YAML: %s", text)
		return false
	}
	d := document{s, name, map[string]ast.Node{}}
	for i, doc := range file.Docs {
		switch {
		case doc.Body == nil: // nothing but comments
		case i > 0:
			s.fault(d.at(doc.Body), "", "a second document begins here; keep everything in one, without a line ---")
		default:
			d.walk("", "", doc.Body)
		}
	}
	return true
}

// walk takes over the node of a key. Place is where the key itself stands.
func (d *document) walk(key, place string, node ast.Node) {
	node = d.resolve(key, node)
	pattern, _ := split(key)
	if place == "" {
		place = d.at(node)
	}
	want := shapeOf(pattern)
	switch n := node.(type) {
	case nil: // an alias of nothing, reported
	case *ast.NullNode:
		if want == scalar {
			d.fault(place, key, "has no value; give it one, or leave the key out")
		}
	case *ast.MappingNode:
		d.walkMapping(key, place, want, n.Values)
	case *ast.MappingValueNode:
		d.walkMapping(key, place, want, []*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		d.walkList(key, place, want, n)
	default:
		text, ok := scalarText(node)
		if !ok || want != scalar {
			d.wrongShape(place, key, want, scalar)
			return
		}
		d.put(key, text, place)
	}
}

func (d *document) walkMapping(key, place string, want shape, pairs []*ast.MappingValueNode) {
	if want != mapping {
		d.wrongShape(place, key, want, mapping)
		return
	}
	d.origins[key] = place
	pattern, _ := split(key)
	seen := map[string]string{}
	for _, pair := range pairs {
		name, _ := scalarText(pair.Key)
		child, place := join(key, name), d.at(pair.Key)
		switch before, twice := seen[name]; {
		case shapeOf(join(pattern, name)) == unknown || strings.ContainsAny(name, ".[]") || name == "":
			names := children(pattern)
			d.fault(place, join(key, keyText(pair.Key)), "there is no such key; did you mean %s? (there are %s)", nearest(name, names), strings.Join(names, ", "))
		case twice:
			d.fault(place, child, "is there twice, first at %s; keep one", before)
		default:
			seen[name] = place
			d.walk(child, place, pair.Value)
		}
	}
}

func (d *document) walkList(key, place string, want shape, node *ast.SequenceNode) {
	if want != list {
		d.wrongShape(place, key, want, list)
		return
	}
	d.origins[key] = place
	for i, element := range node.Values {
		child := fmt.Sprintf("%s[%d]", key, i)
		d.origins[child] = d.at(element)
		d.walk(child, "", element)
	}
}

func (d *document) wrongShape(place, key string, want, got shape) {
	hint := "see the example file"
	if got == mapping && want == scalar { // in braces, the parser takes host:11211 for a mapping
		hint = "put it in quotes if it has a colon"
	}
	d.fault(place, key, "must be %s; %s", want, hint)
}

// resolve follows anchors, aliases and tags to the node that carries the value.
func (d *document) resolve(key string, node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.TagNode:
		return d.resolve(key, n.Value)
	case *ast.AnchorNode:
		// Known only from here on, so that it cannot hold itself.
		value := d.resolve(key, n.Value)
		d.anchors[n.Name.GetToken().Value] = value
		return value
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		if value, ok := d.anchors[name]; ok {
			return value
		}
		d.fault(d.at(node), key, "no anchor &%s stands above this *%s", name, name)
		return nil
	}
	return node
}
