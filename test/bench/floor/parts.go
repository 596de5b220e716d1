package main

import (
	"hash/crc32"
	"sync"
)

// Fills one part while others are sent, in a fixed number of buffers.
type partWriter struct {
	send    func(number int, body []byte, crc uint32)
	free    chan []byte
	current []byte
	filled  int
	crc     uint32
	started int
	sending sync.WaitGroup
}

func newPartWriter(bytes int, inFlight int, send func(int, []byte, uint32)) *partWriter {
	writer := &partWriter{send: send, free: make(chan []byte, inFlight+1)}
	for range inFlight + 1 {
		writer.free <- make([]byte, bytes)
	}
	return writer
}

// The part's unused space, at least one byte. Waits for a free buffer.
func (w *partWriter) room() []byte {
	if w.current == nil {
		w.current = <-w.free
	}
	return w.current[w.filled:]
}

// Counts bytes that were written to the start of `room`.
func (w *partWriter) add(count int) {
	w.crc = crc32.Update(w.crc, crc32.IEEETable, w.current[w.filled:w.filled+count])
	w.filled += count
	if w.filled == len(w.current) {
		w.sendCurrent()
	}
}

func (w *partWriter) sendCurrent() {
	buffer, filled, crc := w.current, w.filled, w.crc
	w.started++
	number := w.started
	w.current, w.filled, w.crc = nil, 0, 0
	w.sending.Go(func() {
		w.send(number, buffer[:filled], crc)
		w.free <- buffer
	})
}

// Sends the last part and waits for all.
func (w *partWriter) finish() {
	if w.filled > 0 {
		w.sendCurrent()
	}
	w.sending.Wait()
}
