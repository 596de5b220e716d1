import { deflateRawSync } from 'node:zlib';
import type { Compression } from '#crds/zip-job.ts';

/** Number of first bytes that decide, however they arrive, so that the same file gives the same archive. */
export const PROBE_BYTES = 4096;
/** zlib's fastest level, which saves most of the size of text in a fraction of the time. */
export const DEFLATE_LEVEL = 1;
/** Minimum saving, as a fraction of the probe, for which compression is worth its time. */
const WORTHWHILE_SAVING = 0.1;

const COMPRESSED_ALREADY: ReadonlySet<string> = new Set(
  `7z aac aab ace apk avi avif br bz2 cab crx dmg docx ear epub flac flv gif gz heic heif ipa iso jar jp2 jpeg jpg jxl kmz
  lz lz4 lzma m4a m4b m4v mkv mov mp3 mp4 mpeg mpg odp ods odt ogg opus pack parquet png pptx rar rpm tbz2 tgz txz usdz
  vsix war webm webp whl wma wmv woff woff2 xlsx xpi xz zip zipx zst`.split(/\s+/),
);

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > name.lastIndexOf('/') ? name.slice(dot + 1).toLowerCase() : '';
}

/** Whether isCompressible depends on the first bytes. */
export function needsProbe(compression: Compression, name: string): boolean {
  return compression === 'auto' && !COMPRESSED_ALREADY.has(extensionOf(name));
}

/** Whether to compress the entry. `head` contains its first PROBE_BYTES bytes, or the whole body if it is shorter. */
export function isCompressible(compression: Compression, name: string, head: Uint8Array): boolean {
  if (compression !== 'auto') return compression === 'deflate';
  if (!needsProbe(compression, name) || head.length === 0) return false;
  const probe = head.subarray(0, PROBE_BYTES);
  return deflateRawSync(probe, { level: DEFLATE_LEVEL }).length <= probe.length * (1 - WORTHWHILE_SAVING);
}
