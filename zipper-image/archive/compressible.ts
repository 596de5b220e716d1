import { deflateRawSync } from 'node:zlib';
import type { Compression } from '#crds/zip-job.ts';

/** The rule looks at exactly this many first bytes, however they arrive: the same file gives the same archive. */
export const PROBE_BYTES = 4096;
/** zlib's fastest level: most of the gain for text at a fraction of the time. */
export const DEFLATE_LEVEL = 1;
/** Part of the probe's size that deflating must save to be worth its time. */
const WORTHWHILE_SAVING = 0.1;

const COMPRESSED_ALREADY: ReadonlySet<string> = new Set(
  `7z aac aab ace apk avi avif br bz2 cab crx dmg docx ear epub flac flv gif gz heic heif ipa iso jar jp2 jpeg jpg jxl kmz
  lz lz4 lzma m4a m4b m4v mkv mov mp3 mp4 mpeg mpg odp ods odt ogg opus pack parquet png pptx rar rpm tbz2 tgz txz usdz
  vsix war webm webp whl wma wmv woff woff2 xlsx xpi xz zip zipx zst`.split(/\s+/),
);

const extensionOf = (name: string): string => {
  const dot = name.lastIndexOf('.');
  return dot > name.lastIndexOf('/') ? name.slice(dot + 1).toLowerCase() : '';
};

/** Whether the answer depends on the first bytes. */
export const needsProbe = (compression: Compression, name: string): boolean =>
  compression === 'auto' && !COMPRESSED_ALREADY.has(extensionOf(name));

/** Whether the entry is to be deflated; `head` holds its first PROBE_BYTES bytes, or all when it has fewer. */
export const isCompressible = (compression: Compression, name: string, head: Uint8Array): boolean => {
  if (compression !== 'auto') return compression === 'deflate';
  if (!needsProbe(compression, name) || head.length === 0) return false;
  const probe = head.subarray(0, PROBE_BYTES);
  return deflateRawSync(probe, { level: DEFLATE_LEVEL }).length <= probe.length * (1 - WORTHWHILE_SAVING);
};
