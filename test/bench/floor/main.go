// The least that any program must do to move the bytes of an archive: it downloads the files with the zipper's limits,
// computes CRC-32, and uploads the bytes in the order of the list as a multipart upload. It writes no archive, and
// neither retries nor reports anything. `npm run bench` measures it beside the zipper.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

type job struct {
	Store  access   `json:"store"`
	Bucket string   `json:"bucket"`
	Key    string   `json:"key"`
	URLs   []string `json:"urls"`
	// Maximum concurrent downloads.
	Downloads int `json:"downloads"`
	// Maximum bytes of all downloads in memory.
	BufferBytes int `json:"bufferBytes"`
	PartBytes   int `json:"partBytes"`
	// Parts uploaded while the next one is filled.
	PartsInFlight int `json:"partsInFlight"`
}

const connectionBufferBytes = 64 << 10

// floor JOB, a JSON file. SSL_CERT_FILE names the trusted authorities.
func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: floor JOB"))
	}
	text, err := os.ReadFile(os.Args[1])
	fail(err)
	var work job
	fail(json.Unmarshal(text, &work))
	fail(run(context.Background(), work))
}

func run(ctx context.Context, work job) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client := &http.Client{Transport: &http.Transport{
		DisableCompression:  true,
		MaxIdleConnsPerHost: work.Downloads,
		ReadBufferSize:      connectionBufferBytes,
		WriteBufferSize:     connectionBufferBytes,
	}}
	target := &store{client: client, at: work}
	if err := target.start(ctx); err != nil {
		return err
	}
	parts := newPartWriter(work.PartBytes, work.PartsInFlight, func(number int, body []byte, crc uint32) {
		if err := target.uploadPart(ctx, number, body, crc); err != nil {
			cancel(err)
		}
	})
	if err := download(ctx, client, work, parts); err != nil {
		return firstOf(context.Cause(ctx), err)
	}
	parts.finish()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return target.complete(ctx)
}

func firstOf(cause error, err error) error {
	if cause != nil {
		return cause
	}
	return err
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}
