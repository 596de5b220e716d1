import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

final class ReadZipStream {
  public static void main(String[] args) throws Exception {
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(Path.of(args[0])));
        Digests digests = new Digests()) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry())
        digests.add(entry.getName(), entry.getTime(), zip);
    }
  }
}
