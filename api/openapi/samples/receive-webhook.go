//go:build ignore

// Receives webhooks with net/http: go run receive-webhook.go
// Set WEBHOOK_SECRET to the secret of the project (whsec_...).
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance    = 5 * time.Minute
	maxBodyBytes = 64 << 10
)

// verify returns an error if the webhook must not be trusted. The body is the received bytes, before any parsing.
func verify(key []byte, header http.Header, body []byte) error {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return errors.New("the timestamp is too old or too new")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), expected) {
			return nil
		}
	}
	return errors.New("no signature matches")
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("WEBHOOK_SECRET is missing or invalid")
	}
	http.HandleFunc("POST /webhook", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
		if err != nil {
			http.Error(response, "the body is too large or incomplete", http.StatusRequestEntityTooLarge)
			return
		}
		var event struct {
			Type  string `json:"type"`
			ZipID string `json:"zip_id"`
		}
		if verify(key, request.Header, body) != nil || json.Unmarshal(body, &event) != nil {
			http.Error(response, "the signature is not valid", http.StatusUnauthorized)
			return
		}
		// The same event may be delivered more than once: store webhook-id, and skip the ids that you know.
		fmt.Println(request.Header.Get("webhook-id"), event.Type, event.ZipID)
		response.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(":"+cmp.Or(os.Getenv("PORT"), "3000"), nil))
}
