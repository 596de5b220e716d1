//go:build ignore

// Verifies a webhook. Reads the exact body from standard input: go run verify-webhook.go <body
// Set WEBHOOK_SECRET to the secret of the project (whsec_...), and WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE to the headers.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// verify returns an error if the webhook must not be trusted. The body is the received bytes, before any parsing.
func verify(secret, id, timestamp, signatures string, body []byte) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return errors.New("the timestamp is too old or too new")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Fields(signatures) {
		if hmac.Equal([]byte(signature), expected) {
			return nil
		}
	}
	return errors.New("no signature matches")
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	env := os.Getenv
	if err := verify(env("WEBHOOK_SECRET"), env("WEBHOOK_ID"), env("WEBHOOK_TIMESTAMP"), env("WEBHOOK_SIGNATURE"), body); err != nil {
		log.Fatal(err)
	}
	fmt.Println("valid")
}
