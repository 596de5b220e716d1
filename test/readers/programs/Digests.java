import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Prints the SHA-256, the modification time (seconds since 1970) and the name of each entry of an archive, each ended by a NUL. */
final class Digests implements AutoCloseable {
  private final OutputStream out = new BufferedOutputStream(System.out);
  private final byte[] buffer = new byte[1 << 20];

  void add(String name, long modifiedMs, InputStream content) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (int length = content.read(buffer); length >= 0; length = content.read(buffer))
      digest.update(buffer, 0, length);
    out.write(HexFormat.of().formatHex(digest.digest()).getBytes(StandardCharsets.US_ASCII));
    out.write(0);
    out.write(Long.toString(Math.floorDiv(modifiedMs, 1000)).getBytes(StandardCharsets.US_ASCII));
    out.write(0);
    out.write(name.getBytes(StandardCharsets.UTF_8));
    out.write(0);
  }

  @Override
  public void close() throws IOException {
    out.flush();
  }
}
