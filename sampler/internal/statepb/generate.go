// Package statepb is the generated code of state.proto.
package statepb

//go:generate protoc --go_out=. --go_opt=paths=source_relative state.proto
