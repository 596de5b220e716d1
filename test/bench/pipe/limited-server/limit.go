package main

import (
	"net"
	"sync"
	"time"
)

const (
	// Bytes that may pass at once. A client must not finish much earlier because its data waits in a buffer of the kernel.
	burst       = 64 << 10
	kernelBytes = 128 << 10
)

// A rate that one or many connections share. Nil is no limit.
type limit struct {
	mutex sync.Mutex
	rate  float64
	free  time.Time
}

func newLimit(rate float64) *limit {
	if rate <= 0 {
		return nil
	}
	return &limit{rate: rate}
}

// Waits until n more bytes may pass.
func (l *limit) wait(n int) {
	if l == nil || n <= 0 {
		return
	}
	l.mutex.Lock()
	now := time.Now()
	if earliest := now.Add(-l.duration(burst)); l.free.Before(earliest) {
		l.free = earliest
	}
	l.free = l.free.Add(l.duration(n))
	pause := l.free.Sub(now)
	l.mutex.Unlock()
	time.Sleep(pause)
}

func (l *limit) duration(n int) time.Duration {
	return time.Duration(float64(n) / l.rate * float64(time.Second))
}

type limitedListener struct {
	net.Listener
	counts *counter
	rate   float64
	total  *limit
}

func (l *limitedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok && (l.rate > 0 || l.total != nil) {
		_ = tcp.SetReadBuffer(kernelBytes)
		_ = tcp.SetWriteBuffer(kernelBytes)
	}
	l.counts.opened()
	return &limitedConn{
		Conn:   conn,
		counts: l.counts,
		read:   []*limit{newLimit(l.rate), l.total},
		write:  []*limit{newLimit(l.rate), l.total},
	}, nil
}

type limitedConn struct {
	net.Conn
	counts      *counter
	read, write []*limit
	closed      sync.Once
}

func (c *limitedConn) Read(to []byte) (int, error) {
	n, err := c.Conn.Read(to[:min(len(to), burst)])
	for _, one := range c.read {
		one.wait(n)
	}
	return n, err
}

func (c *limitedConn) Write(from []byte) (int, error) {
	written := 0
	for written < len(from) {
		piece := from[written:min(len(from), written+burst)]
		for _, one := range c.write {
			one.wait(len(piece))
		}
		n, err := c.Conn.Write(piece)
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

func (c *limitedConn) Close() error {
	c.closed.Do(c.counts.closed)
	return c.Conn.Close()
}
