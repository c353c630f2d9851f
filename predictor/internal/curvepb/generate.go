// Package curvepb is the generated code of ../../curve.proto.
package curvepb

//go:generate protoc -I ../.. --go_out=. --go_opt=paths=source_relative curve.proto
