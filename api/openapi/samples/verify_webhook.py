"""Verifies a webhook whose exact body is the standard input: python3 verify_webhook.py <body

WEBHOOK_SECRET is the secret of the project (whsec_...); the other three are the headers of the same names.
"""

import base64
import hashlib
import hmac
import os
import sys
import time

TOLERANCE_SECONDS = 300


def problem(secret, webhook_id, timestamp, signatures, body):
    """Why the webhook must not be trusted; None when it may. The body is the bytes as they came."""
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return "the timestamp is too far off"
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    if not any(hmac.compare_digest(one.encode(), expected) for one in signatures.split(" ")):
        return "no signature fits"
    return None


names = ("WEBHOOK_SECRET", "WEBHOOK_ID", "WEBHOOK_TIMESTAMP", "WEBHOOK_SIGNATURE")
found = problem(*(os.environ[name] for name in names), sys.stdin.buffer.read())
if found:
    sys.exit(found)
print("valid")
