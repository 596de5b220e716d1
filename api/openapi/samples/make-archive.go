//go:build ignore

// Makes an archive and waits for its end: go run make-archive.go request.json
// ZIPJOBS_URL is the address of the service, ZIPJOBS_TOKEN an access token of the project.
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
	client          = &http.Client{Timeout: 30 * time.Second}
	worthAnotherTry = []int{408, 429, 500, 502, 503, 504}
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
	answer, err := client.Do(request)
	if err != nil {
		return 0, 0, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	return answer.StatusCode, time.Duration(seconds) * time.Second, text, err
}

// send sends a request, and again when that may help: with an Idempotency-Key this is safe for a POST too.
func send(method, path string, body []byte, key string) (zip, string) {
	for try := 1; ; try++ {
		status, wait, text, err := once(method, path, body, key)
		if err == nil && status < 300 {
			var answer zip
			if err := json.Unmarshal(text, &answer); err != nil {
				log.Fatal(err)
			}
			return answer, string(text)
		}
		if try == tries || err == nil && !slices.Contains(worthAnotherTry, status) {
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
	// Keep the key with your own order until the answer is there: the same key and body never make a second job.
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
