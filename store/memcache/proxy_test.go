package memcache_test

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy stands between the cache and memcached and hurts what passes.
type proxy struct {
	addr string
	to   string

	mu    sync.Mutex
	mode  func(answer net.Conn, server net.Conn) // how answers go back; nil: as they are
	away  bool                                   // nothing reaches memcached
	still atomic.Bool                            // connections stay, and nothing passes
	conns []net.Conn
}

func startProxy(t *testing.T, to string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: listener.Addr().String(), to: to}
	t.Cleanup(func() { listener.Close(); p.cut() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.join(client)
		}
	}()
	return p
}

func (p *proxy) join(client net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		client.Close()
		return
	}
	if p.away {
		client.Close()
		server.Close()
		return
	}
	p.conns = append(p.conns, client, server)
	go func() { _, _ = io.Copy(frozen{server, &p.still}, client); server.Close() }()
	mode := p.mode
	go func() {
		defer client.Close()
		if mode != nil {
			mode(client, server)
			return
		}
		_, _ = io.Copy(client, server)
	}()
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// become cuts all connections and treats new ones in another way.
func (p *proxy) become(mode func(answer net.Conn, server net.Conn)) {
	p.mu.Lock()
	p.mode = mode
	p.mu.Unlock()
	p.cut()
}

// leave cuts all connections and lets no new one through, until it is to return.
func (p *proxy) leave(away bool) {
	p.mu.Lock()
	p.away = away
	p.mu.Unlock()
	p.cut()
}

// freeze lets nothing through any more, and leaves connections as they are.
func (p *proxy) freeze() { p.still.Store(true) }

// frozen swallows what is written, once it is still.
type frozen struct {
	io.Writer
	still *atomic.Bool
}

func (f frozen) Write(b []byte) (int, error) {
	if f.still.Load() {
		return len(b), nil
	}
	return f.Writer.Write(b)
}

// The ways in which answers suffer.
var (
	silent  = func(_, server net.Conn) { _, _ = io.Copy(io.Discard, server) }        // slower than any timeout
	refused = func(_, server net.Conn) { server.Close() }                            // cut at once
	half    = func(answer, server net.Conn) { _, _ = io.CopyN(answer, server, 200) } // cut inside a value
	flipped = func(answer, server net.Conn) {                                        // a bit of every 150th byte is wrong
		buffer := make([]byte, 4096)
		for passed := 0; ; {
			n, err := server.Read(buffer)
			for i := range buffer[:n] {
				if passed++; passed%150 == 0 {
					buffer[i] ^= 1
				}
			}
			if _, err := answer.Write(buffer[:n]); err != nil {
				return
			}
			if err != nil {
				return
			}
		}
	}
)
