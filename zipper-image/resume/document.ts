/** The records of a checkpoint as text. */

import type { ResumeRefusal } from '#crds/zip-job.ts';
import { AppError } from '#runtime/errors.ts';
import type { Records } from './types.ts';

/** The text is not a document of records, or one of another version. */
export class DocumentError extends AppError {
  readonly refusal: Extract<ResumeRefusal, 'NoCheckpoint' | 'OtherPlan'>;

  constructor(message: string, refusal: DocumentError['refusal']) {
    super(message, { code: 'Internal', retryable: false });
    this.refusal = refusal;
  }
}

/** Base64 for `ZipCheckpointStatus.records`. The records must not change meanwhile. @throws RangeError for impossible records */
export async function encodeRecords(_records: Records): Promise<string> {
  throw new Error('not written yet');
}

/** The records of a text of `encodeRecords`. @throws DocumentError for any other text */
export function decodeRecords(_text: string): Records {
  throw new Error('not written yet');
}
