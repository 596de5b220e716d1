interface Event {
  /** The header `webhook-id`. */
  readonly id: string;
  readonly body: string;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Shell commands that send an event again, signed at the time of sending. The URL and the signing secret are placeholders: both are
 * credentials.
 */
export function deliveryCurl({ id, body }: Event): string {
  return String.raw`WEBHOOK_URL='https://RECEIVER'
WEBHOOK_SECRET='whsec_SIGNING_SECRET'
id=${quoted(id)}
body=${quoted(body)}
timestamp=$(date +%s)
key=$(printf '%s' "${'$'}{WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
signature=$(printf '%s.%s.%s' "$id" "$timestamp" "$body" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
curl --request POST "$WEBHOOK_URL" \
  --header 'content-type: application/json' \
  --header "webhook-id: $id" \
  --header "webhook-timestamp: $timestamp" \
  --header "webhook-signature: v1,$signature" \
  --data-raw "$body"`;
}
