package config

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// scalarText is a scalar as it was written, unquoted, so that a value means the
// same in the file and in the environment.
func scalarText(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true
	}
	return "", false
}

// keyText names a mapping's key in a fault, whatever it is.
func keyText(node ast.Node) string {
	if text, ok := scalarText(node); ok {
		return text
	}
	return node.String()
}

func (d *document) at(node ast.Node) string {
	if node == nil {
		return d.name
	}
	return fmt.Sprintf("%s:%d", d.name, line(node.GetToken()))
}

func line(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 1
	}
	return t.Position.Line
}
