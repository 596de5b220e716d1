#!/bin/sh
# Verifies a webhook. Reads the exact body from standard input: sh verify-webhook.sh <body
# Set WEBHOOK_SECRET to the secret of the project (whsec_...), and WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE to the headers.
set -eu
now=$(date +%s)
age=$((now - WEBHOOK_TIMESTAMP))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || { echo 'the timestamp is too old or too new' >&2; exit 1; }

key=$(printf '%s' "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)

for signature in $WEBHOOK_SIGNATURE; do
  [ "$signature" = "v1,$expected" ] && { echo valid; exit 0; }
done
echo 'no signature matches' >&2
exit 1
