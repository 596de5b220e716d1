import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.ArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveInputStream;

final class ReadZipCommons {
  public static void main(String[] args) throws Exception {
    try (var zip = new ZipArchiveInputStream(Files.newInputStream(Path.of(args[0])));
        Digests digests = new Digests()) {
      for (ArchiveEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry())
        digests.add(entry.getName(), entry.getLastModifiedDate().getTime(), zip);
    }
  }
}
