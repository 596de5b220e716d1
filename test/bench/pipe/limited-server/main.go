// A source or a store on a network that limits each connection, or all together. It serves generated files, or passes requests on
// to a real store. `npm run bench -- --case pipe` measures its clients, and asks it how many connections and requests they needed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
)

type order struct {
	// Bytes per second and direction of each connection; 0 for no limit.
	ConnectionRate float64 `json:"connectionRate"`
	// Bytes per second of all connections, in both directions together; 0 for no limit.
	TotalRate float64 `json:"totalRate"`
	// Generated files below /set/. Ignored with a target.
	Files []file `json:"files"`
	// The URL of the store that gets the requests.
	Target string `json:"target"`
}

// limited-server ORDER, as JSON. The first line of output is the URL. Each line of input returns the counts since the one before,
// and the end of the input ends the program.
func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: limited-server ORDER"))
	}
	var wanted order
	fail(json.Unmarshal([]byte(os.Args[1]), &wanted))
	handler, err := handlerOf(wanted)
	fail(err)
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	counts := &counter{}
	listener := &limitedListener{
		Listener: plain,
		counts:   counts,
		rate:     wanted.ConnectionRate,
		total:    newLimit(wanted.TotalRate),
	}
	go func() { fail(http.Serve(listener, counts.counting(handler))) }()
	fmt.Printf("http://%s\n", plain.Addr())
	answers := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fail(answers.Encode(counts.take()))
	}
}

func handlerOf(wanted order) (http.Handler, error) {
	if wanted.Target != "" {
		return proxyTo(wanted.Target)
	}
	return serveFiles(wanted.Files), nil
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
