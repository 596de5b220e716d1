//go:build ignore

// Creates an archive and waits until it is finished: go run make-archive.go request.json
// Set ZIPJOBS_URL to the address of the service and ZIPJOBS_TOKEN to an access token of the project.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"
)

type zip struct {
	Data struct {
		UUID   string `json:"uuid"`
		Status string `json:"status"`
	} `json:"data"`
}

const tries = 5

var (
	client    = &http.Client{Timeout: 30 * time.Second}
	retriable = []int{408, 429, 500, 502, 503, 504}
)

func once(method, path string, body []byte, key string) (int, time.Duration, []byte, error) {
	request, err := http.NewRequest(method, os.Getenv("ZIPJOBS_URL")+path, bytes.NewReader(body))
	if err != nil {
		return 0, 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ZIPJOBS_TOKEN"))
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return response.StatusCode, time.Duration(seconds) * time.Second, text, err
}

// send sends a request and retries it if that may help. The Idempotency-Key makes retries of a POST safe.
func send(method, path string, body []byte, key string) (zip, string) {
	for try := 1; ; try++ {
		status, wait, text, err := once(method, path, body, key)
		if err == nil && status < 300 {
			var read zip
			if err := json.Unmarshal(text, &read); err != nil {
				log.Fatal(err)
			}
			return read, string(text)
		}
		if try == tries || err == nil && !slices.Contains(retriable, status) {
			log.Fatalf("%d: %s %v", status, text, err)
		}
		time.Sleep(max(wait, 2*time.Second))
	}
}

func main() {
	body, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	// Store the key until you have the response. A retry with the same key and body never creates a second job.
	created, _ := send(http.MethodPost, "/v1/zips", body, rand.Text())
	for {
		read, text := send(http.MethodGet, "/v1/zips/"+created.Data.UUID+"?expand=archive,error", nil, "")
		switch read.Data.Status {
		case "succeeded":
			fmt.Println(text)
			return
		case "failed":
			fmt.Println(text)
			os.Exit(1)
		}
		time.Sleep(time.Second)
	}
}
