package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

type file struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Seed  uint32 `json:"seed"`
	// Bytes per second of each response with this file; 0 for no limit of its own.
	ResponseRate float64 `json:"responseRate"`
	// Bytes per second of all responses with this file; 0 for no limit of its own.
	TotalRate float64 `json:"totalRate"`
}

// The same bytes as test/support/builders/generated-bytes.ts.
const period = 1_048_573

func block(seed uint32) []byte {
	words := make([]byte, 0, period+4)
	state := seed*2_654_435_761 + 0x9e37_79b9
	if state == 0 {
		state = 1
	}
	for len(words) < period {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		words = binary.LittleEndian.AppendUint32(words, state)
	}
	return words[:period]
}

// A file whose bytes repeat.
type generated struct {
	block       []byte
	bytes, next int64
}

func (g *generated) Read(to []byte) (int, error) {
	if g.next >= g.bytes {
		return 0, io.EOF
	}
	from := g.block[g.next%period:]
	n := copy(to, from[:min(int64(len(from)), g.bytes-g.next)])
	g.next += int64(n)
	return n, nil
}

func (g *generated) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += g.next
	case io.SeekEnd:
		offset += g.bytes
	}
	g.next = offset
	return offset, nil
}

// A response with limits of its own.
type slowResponse struct {
	http.ResponseWriter
	limits []*limit
}

func (s slowResponse) Write(from []byte) (int, error) {
	for _, one := range s.limits {
		one.wait(len(from))
	}
	return s.ResponseWriter.Write(from)
}

var modified = time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)

// The files below /set/ and an index for clients that list. Ranges and validators as net/http serves them.
func serveFiles(files []file) http.Handler {
	blocks := map[uint32][]byte{}
	mux := http.NewServeMux()
	index := &strings.Builder{}
	for _, one := range files {
		if blocks[one.Seed] == nil {
			blocks[one.Seed] = block(one.Seed)
		}
		fmt.Fprintf(index, "<a href=\"%s\">%s</a>\n", one.Path, one.Path)
		total := newLimit(one.TotalRate)
		mux.HandleFunc("/set/"+one.Path, func(response http.ResponseWriter, request *http.Request) {
			response.Header().Set("etag", fmt.Sprintf(`"%d-%d"`, one.Seed, one.Bytes))
			response.Header().Set("content-type", "application/octet-stream")
			limits := []*limit{newLimit(one.ResponseRate), total}
			body := &generated{block: blocks[one.Seed], bytes: one.Bytes}
			http.ServeContent(slowResponse{response, limits}, request, one.Path, modified, body)
		})
	}
	mux.HandleFunc("/set/{$}", func(response http.ResponseWriter, _ *http.Request) {
		response.Header().Set("content-type", "text/html")
		fmt.Fprintf(response, "<html><body>%s</body></html>", index)
	})
	return mux
}
