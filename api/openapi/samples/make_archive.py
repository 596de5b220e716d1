"""Creates an archive and waits until it is finished: python3 make_archive.py request.json

Set ZIPJOBS_URL to the address of the service and ZIPJOBS_TOKEN to an access token of the project.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

RETRIABLE = {408, 429, 500, 502, 503, 504}
TRIES = 5


def send(path, body=None, headers=None):
    """Sends a request and retries it if that may help. The Idempotency-Key makes retries of a POST safe."""
    request = urllib.request.Request(os.environ["ZIPJOBS_URL"] + path, data=body, headers=headers or {})
    request.add_unredirected_header("Authorization", "Bearer " + os.environ["ZIPJOBS_TOKEN"])
    for tries in range(1, TRIES + 1):
        wait = 2
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            if tries == TRIES or error.code not in RETRIABLE:
                sys.exit(f"{error.code}: {error.read().decode()}")
            wait = int(error.headers.get("Retry-After", wait))
        except OSError:
            if tries == TRIES:
                raise
        time.sleep(wait)


with open(sys.argv[1], "rb") as file:
    body = file.read()
# Store the key until you have the response. A retry with the same key and body never creates a second job.
headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
zip_job = send("/v1/zips", body, headers)
path = f"/v1/zips/{zip_job['uuid']}?expand=archive,error"
while zip_job["status"] in ("none", "processing"):
    time.sleep(1)
    zip_job = send(path)
print(json.dumps(zip_job))
sys.exit(0 if zip_job["status"] == "succeeded" else 1)
