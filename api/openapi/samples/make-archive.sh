#!/bin/sh
# Makes an archive and waits for its end: sh make-archive.sh request.json
# ZIPJOBS_URL is the address of the service, ZIPJOBS_TOKEN an access token of the project.
set -eu

# The token reaches curl on its standard input: arguments can be read by everybody on the machine.
call() {
  printf 'header = "Authorization: Bearer %s"\n' "$ZIPJOBS_TOKEN" |
    curl --config - --silent --show-error --fail-with-body --retry 5 --retry-connrefused "$@"
}

# Keep the key with your own order until the answer is there: the same key and body never make a second job.
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
