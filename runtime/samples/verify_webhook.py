"""Verifies a webhook. Reads the exact body from standard input: python3 verify_webhook.py <body

Set WEBHOOK_SECRET to the secret of the project (whsec_...), and WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE to the headers.
"""

import base64
import hashlib
import hmac
import os
import sys
import time

TOLERANCE_SECONDS = 300


def problem(secret, webhook_id, timestamp, signatures, body):
    """Returns why the webhook must not be trusted, or None. The body is the received bytes, before any parsing."""
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return "the timestamp is too old or too new"
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    if not any(hmac.compare_digest(one.encode(), expected) for one in signatures.split(" ")):
        return "no signature matches"
    return None


names = ("WEBHOOK_SECRET", "WEBHOOK_ID", "WEBHOOK_TIMESTAMP", "WEBHOOK_SIGNATURE")
found = problem(*(os.environ[name] for name in names), sys.stdin.buffer.read())
if found:
    sys.exit(found)
print("valid")
