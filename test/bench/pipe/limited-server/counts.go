package main

import (
	"net/http"
	"sync"
)

type counts struct {
	// Including those that were open at the start.
	Connections int `json:"connections"`
	// Most at one time.
	PeakConnections int `json:"peakConnections"`
	Requests        int `json:"requests"`
}

type counter struct {
	mutex sync.Mutex
	open  int
	since counts
}

func (c *counter) opened() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.open++
	c.since.Connections++
	c.since.PeakConnections = max(c.since.PeakConnections, c.open)
}

func (c *counter) closed() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.open--
}

// The counts since the last call.
func (c *counter) take() counts {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	taken := c.since
	c.since = counts{Connections: c.open, PeakConnections: c.open}
	return taken
}

func (c *counter) counting(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		c.mutex.Lock()
		c.since.Requests++
		c.mutex.Unlock()
		handler.ServeHTTP(response, request)
	})
}
