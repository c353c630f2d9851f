package servers

import (
	"net"
	"testing"
)

// Address is a HOST:PORT where nobody listens, and which the system gives to nobody who asks
// for any free port: until the test's end, only who is told of it listens there, again and
// again. A port that is merely free may be another test's by the time that a server asks
// for it, or while it is away.
func Address(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer listener.Close()
	// A connection that was made there holds the port, and keeps no listener from it.
	for _, join := range []func() (net.Conn, error){
		func() (net.Conn, error) { return net.Dial("tcp", listener.Addr().String()) },
		listener.Accept,
	} {
		held, err := join()
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = held.Close() })
	}
	return listener.Addr().String()
}
