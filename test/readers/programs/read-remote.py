"""Prints the SHA-256 of one file in a remote archive, or of a range of it: URL NAME [FROM TO]."""
import hashlib, io, struct, sys, urllib.request, zipfile


class RemoteFile(io.RawIOBase):
    """Reads by requests with Range."""

    def __init__(self, url):
        self.url = url
        self.at = 0
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Range": "bytes=0-0"})) as response:
            self.length = int(response.headers["Content-Range"].rpartition("/")[2])

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=0):
        self.at = offset + (0, self.at, self.length)[whence]
        return self.at

    def readinto(self, buffer):
        to = min(self.at + len(buffer), self.length)
        if self.at >= to:
            return 0
        headers = {"Range": f"bytes={self.at}-{to - 1}"}
        with urllib.request.urlopen(urllib.request.Request(self.url, headers=headers)) as response:
            read = response.read()
        buffer[: len(read)] = read
        self.at += len(read)
        return len(read)


url, name, *bounds = sys.argv[1:]
remote = RemoteFile(url)
with zipfile.ZipFile(io.BufferedReader(remote, 1 << 18)) as archive:
    info = archive.getinfo(name)
    if not bounds:
        content = archive.read(name)
    else:
        # A stored entry is a range of the archive, behind its local header.
        assert info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 8
        remote.seek(info.header_offset)
        header = remote.read(30)
        assert header[:4] == b"PK\3\4"
        start = info.header_offset + 30 + sum(struct.unpack("<HH", header[26:]))
        remote.seek(start + int(bounds[0]))
        content = remote.read(int(bounds[1]) - int(bounds[0]))
sys.stdout.write(hashlib.sha256(content).hexdigest())
