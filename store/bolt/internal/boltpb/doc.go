// Package boltpb is the encoding of the rows in the embedded file, generated
// from entry.proto.
package boltpb

//go:generate protoc --go_out=. --go_opt=paths=source_relative entry.proto
