"""Makes generated requests valid where JSON Schema cannot describe what is valid.

Most generated URLs are not public addresses, names repeat, and few bucket names exist. Such requests would fail the first of
these checks and never reach the later ones. Requests that are meant to be invalid are not changed.
"""

import hashlib
import json
import re
from urllib.parse import quote

import schemathesis
from schemathesis.generation import GenerationMode

BUCKET = "reports"
LONGEST_URL_PATH = 1000
# A longer name leaves no space for a folder, a longer key none for a digest.
LONGEST_NAME = 200
LONGEST_KEY = 200
# What `portable_names: rewrite` mends and the other values refuse.
ONLY_REWRITTEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
LONGEST_SEGMENT = 255
# The sizes of all files must be within the limit of the class.
LARGEST_FILE = 1_000_000
# In the years that an archive can contain.
TIME = "2026-01-31T12:00:00Z"
# Every kind of store supports these options of the object, except tags.
OBJECT = {
    "content_type": "application/zip",
    "storage_class": "STANDARD",
    "metadata": {"department": "sales"},
    "tags": {"retention": "30 days"},
}


def is_kept(name):
    """Whether a name is valid as it is."""
    if len(name) > LONGEST_NAME or ONLY_REWRITTEN.search(name):
        return False
    return all(len(segment.encode()) <= LONGEST_SEGMENT for segment in name.split("/"))


def repaired_file(index, file, is_rewritten):
    """The file with a public URL and in its own folder, so that names are unique."""
    path = quote(file["url"], safe="")[:LONGEST_URL_PATH]
    name = f"{index}/{file['filename']}" if is_rewritten or is_kept(file["filename"]) else str(index)
    repaired = {**file, "url": f"https://files.example.com/{path}", "filename": name}
    if "size" in file:
        repaired["size"] = min(file["size"], LARGEST_FILE)
    if "headers" in file:
        # Header names are case-insensitive.
        lower = {header.lower(): header for header in file["headers"]}
        repaired["headers"] = {header: file["headers"][header] for header in lower.values()}
    return repaired


def repaired_object(options, service):
    """The options of the object with valid values. R2 supports no tags."""
    repaired = {name: OBJECT.get(name, value) for name, value in options.items()}
    if service == "r2":
        repaired.pop("tags", None)
    return repaired


def repaired_body(body):
    is_rewritten = body.get("portable_names") == "rewrite"
    files = [repaired_file(index, file, is_rewritten) for index, file in enumerate(body["urls"])]
    if body.get("portable_names") == "refuse" or body.get("manifest") == "bagit":
        files = [{**file, "filename": str(index)} for index, file in enumerate(files)]
    repaired = {**body, "bucket_name": BUCKET, "urls": files}
    if "modification_time" in body:
        repaired["modification_time"] = TIME
    if "object" in body:
        repaired["object"] = repaired_object(body["object"], body.get("service"))
    return repaired


def repaired_key(key, body):
    """The key with the digest of the body, because one key with two bodies is refused."""
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:32]
    if len(key) > LONGEST_KEY:
        return digest
    return f'{key[:-1]}{digest}"' if key.startswith('"') else key + digest


@schemathesis.hook
def before_call(context, case, kwargs):
    is_valid = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    if not is_valid or not isinstance(case.body, dict):
        return
    case.body = repaired_body(case.body)
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = repaired_key(case.headers["Idempotency-Key"], case.body)
