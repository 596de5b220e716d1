"""Prints the SHA-256, an empty field and the name of each entry of an archive, each ended by a NUL."""
import hashlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for info in archive.infolist():
        digest = hashlib.sha256()
        with archive.open(info) as content:
            while chunk := content.read(1 << 20):
                digest.update(chunk)
        sys.stdout.buffer.write(digest.hexdigest().encode() + b"\0\0" + info.filename.encode() + b"\0")
