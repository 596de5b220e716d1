#!/bin/sh
# Creates an archive and waits until it is finished: sh make-archive.sh request.json
# Set ZIPJOBS_URL to the address of the service and ZIPJOBS_TOKEN to an access token of the project.
set -eu

# curl reads the token from standard input, because all users of the machine can read arguments.
call() {
  printf 'header = "Authorization: Bearer %s"\n' "$ZIPJOBS_TOKEN" |
    curl --config - --silent --show-error --fail-with-body --retry 5 --retry-connrefused "$@"
}

# Store the key until you have the response. A retry with the same key and body never creates a second job.
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
created=$(call --header "Idempotency-Key: $key" --header 'Content-Type: application/json' \
  --data-binary "@$1" "$ZIPJOBS_URL/v1/zips") || { printf '%s\n' "$created" >&2; exit 1; }
id=$(printf '%s' "$created" | sed 's/^{"data":{"uuid":"\([^"]*\)".*/\1/')

# The first three fields always come in this order; with jq: jq -r .data.status
status_of() { printf '%s' "$1" | sed 's/^{"data":{"uuid":"[^"]*","status":"\([a-z]*\)".*/\1/'; }

while :; do
  zip=$(call "$ZIPJOBS_URL/v1/zips/$id?expand=archive,error")
  case $(status_of "$zip") in
    none | processing) sleep 1 ;;
    *) break ;;
  esac
done
printf '%s\n' "$zip"
[ "$(status_of "$zip")" = succeeded ]
