/**
 * The records of a checkpoint as text: base64 of bytes, of which the first is the version and the last four are their CRC-32.
 *
 *   version, failure codes, files, parts, CRC-32
 *
 * A file is a set of flags and what they announce. Parts are ranges of consecutive numbers of the same size. Most of the bytes are
 * digests and CRCs, so compressing them saves 1 to 5 % and is left out.
 *
 *   10,000 parts, and a few holes                  107,000 characters
 *   10,000 files of up to 32 MiB, and these parts  328,000
 *   the same with SHA-256                          754,000
 *
 * `test/unit/zipper-image/resume/document.test.ts` repeats these figures.
 */
import { MOST_RECORDS_LENGTH } from '#crds/zip-checkpoint.ts';
import type { ResumeRefusal } from '#crds/zip-job.ts';
import { AppError, toError } from '#runtime/errors.ts';
import { crc32 } from '../crc32.ts';
import { readRecords } from './read-records.ts';
import { ByteReader, ByteWriter } from './record-bytes.ts';
import type { Records } from './types.ts';
import { writeRecords } from './write-records.ts';

const VERSION = 1;
const CRC_BYTES = 4;
/** The version, three empty lists and the CRC. */
const LEAST_BYTES = 8;
/** Of most entries and parts. The buffer grows for others. */
const EXPECTED_BYTES_EACH = 16;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The text is not a document of records, or one of another version. */
export class DocumentError extends AppError {
  readonly refusal: Extract<ResumeRefusal, 'NoCheckpoint' | 'OtherPlan'>;

  constructor(fault: string, refusal: DocumentError['refusal'], cause?: unknown) {
    const message = `Could not read the records of the checkpoint: ${fault}`;
    super(message, { code: 'Internal', retryable: false, cause });
    this.refusal = refusal;
  }
}

function damaged(fault: string, cause?: unknown): DocumentError {
  return new DocumentError(fault, 'NoCheckpoint', cause);
}

/**
 * The text for `ZipCheckpointStatus.records`. Lets other work run now and then, so the records must not change meanwhile.
 * @throws RangeError for impossible records
 */
export async function encodeRecords(records: Records): Promise<string> {
  const to = new ByteWriter(1024 + EXPECTED_BYTES_EACH * (records.files.length + records.parts.length));
  to.number(VERSION);
  await writeRecords(to, records);
  to.u32(crc32(to.bytes));
  return to.bytes.toString('base64');
}

function bytesOf(text: string): Buffer {
  if (text.length > MOST_RECORDS_LENGTH) throw damaged(`they have ${text.length} characters`);
  if (text.length % 4 !== 0 || !BASE64.test(text)) throw damaged('they are not base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length < LEAST_BYTES) throw damaged(`they have ${bytes.length} bytes`);
  return bytes;
}

/** The records of a text of `encodeRecords`. Takes time and memory in proportion to the text. @throws DocumentError for any other text */
export function decodeRecords(text: string): Records {
  const bytes = bytesOf(text);
  const version = bytes[0];
  if (version !== VERSION) throw new DocumentError(`they have version ${version}`, 'OtherPlan');
  const content = bytes.subarray(0, -CRC_BYTES);
  if (crc32(content) !== bytes.readUInt32BE(content.length)) throw damaged('they do not have their CRC-32');
  try {
    const from = new ByteReader(content.subarray(1));
    const records = readRecords(from);
    if (from.left > 0) throw new RangeError(`${from.left} bytes are left`);
    return records;
  } catch (error) {
    throw damaged(toError(error).message, error);
  }
}
