<?php
// Prints the SHA-256, an empty field and the name of each entry of an archive, each ended by a NUL.
$zip = new ZipArchive();
$code = $zip->open($argv[1], ZipArchive::CHECKCONS | ZipArchive::RDONLY);
if ($code !== true) {
  fwrite(STDERR, "cannot open the archive: $code\n");
  exit(1);
}
for ($index = 0; $index < $zip->numFiles; $index++) {
  $hash = hash_init('sha256');
  $size = hash_update_stream($hash, $zip->getStreamIndex($index));
  if ($size !== $zip->statIndex($index)['size']) {
    fwrite(STDERR, "entry $index has $size bytes\n");
    exit(1);
  }
  echo hash_final($hash), "\0\0", $zip->getNameIndex($index, ZipArchive::FL_ENC_RAW), "\0";
}
