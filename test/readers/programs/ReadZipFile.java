import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

final class ReadZipFile {
  public static void main(String[] args) throws Exception {
    try (ZipFile zip = new ZipFile(args[0]); Digests digests = new Digests()) {
      for (ZipEntry entry : Collections.list(zip.entries()))
        try (var content = zip.getInputStream(entry)) {
          digests.add(entry.getName(), entry.getTime(), content);
        }
    }
  }
}
