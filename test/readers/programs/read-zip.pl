# Prints the SHA-256, an empty field and the name of each entry of an archive, each ended by a NUL.
use strict;
use warnings;
use Archive::Zip qw(:ERROR_CODES);
use Digest::SHA;
binmode STDOUT;
my $zip = Archive::Zip->new();
$zip->read($ARGV[0]) == AZ_OK or die "cannot read the archive\n";
for my $member ($zip->members()) {
  my $name = $member->fileName();
  utf8::encode($name) if utf8::is_utf8($name);
  my ($sha, $crc) = (Digest::SHA->new(256), 0);
  $member->desiredCompressionMethod(Archive::Zip::COMPRESSION_STORED());
  $member->rewindData() == AZ_OK or die "cannot begin an entry\n";
  while (1) {
    my ($chunk, $status) = $member->readChunk(1 << 20);
    die "cannot read an entry\n" if $status != AZ_OK && $status != AZ_STREAM_END;
    $sha->add($$chunk);
    $crc = Archive::Zip::computeCRC32($$chunk, $crc);
    last if $status == AZ_STREAM_END;
  }
  die "bad CRC\n" if $crc != $member->crc32();
  print $sha->hexdigest(), "\0\0", $name, "\0";
}
