/** Compares the requests to the store with the status at that moment. */
import { isOk, type Rule, type SeenExchange } from './violation.ts';

interface UploadCall {
  readonly uploadId: string;
  readonly at: number;
  readonly kind: 'part' | 'complete';
  readonly isDone: boolean;
  readonly partNumber: string;
  /** Size of the body. */
  readonly bytes: number;
}

function callOf({ request, status, at }: SeenExchange): UploadCall | undefined {
  const { searchParams } = new URL(request.path, 'http://store');
  const uploadId = searchParams.get('uploadId');
  const kind = { PUT: 'part', POST: 'complete' }[request.method];
  if (uploadId === null || (kind !== 'part' && kind !== 'complete')) return undefined;
  const partNumber = searchParams.get('partNumber') ?? '';
  const bytes = Number(request.headers['content-length'] ?? 0);
  return { uploadId, at, kind, isDone: isOk(status), partNumber, bytes };
}

/** By ZipJob and number of the part: all that was sent, without the largest one. */
function bytesTwice(calls: readonly UploadCall[], owners: ReadonlyMap<string, string>): number {
  const parts = calls.filter(({ kind }) => kind === 'part');
  const byPart = Map.groupBy(parts, ({ uploadId, partNumber }) => `${owners.get(uploadId)} ${partNumber}`);
  return byPart.values().reduce((sum, sent) => {
    const sizes = sent.map(({ bytes }) => bytes);
    return sum + sizes.reduce((all, size) => all + size, 0) - Math.max(...sizes);
  }, 0);
}

/** When each upload was recorded in each state, and in which ZipJob. */
export interface UploadRecords {
  /**
   * Moment of the first response with this state, or of the end of a write without a response: the API server may have carried it
   * out, and recovery completes the upload of a pod that was killed there. Undefined when there is neither.
   */
  recordedAt(uploadId: string, state: 'open' | 'committing'): number | undefined;
  /** Uploads of this ZipJob that the store has completed. */
  completed(zipJobName: string): ReadonlySet<string>;
  /** Total size of the parts that were sent again, in the same attempt or in a later one. */
  readonly bytesTwice: number;
}

function nameIn(path: string): string {
  return /\/zipjobs\/([^/?]+)/.exec(path)?.[1] ?? '';
}

export function readUploads(
  api: readonly SeenExchange[],
  store: readonly SeenExchange[],
): UploadRecords & { readonly calls: readonly UploadCall[] } {
  const moments = new Map<string, number>();
  const owners = new Map<string, string>();
  for (const { notes, status, endedAt, request } of api) {
    const { uploadId, upload } = notes;
    if (uploadId === undefined || upload === undefined || (status !== undefined && !isOk(status))) continue;
    const key = `${upload} ${uploadId}`;
    moments.set(key, Math.min(endedAt, moments.get(key) ?? Infinity));
    owners.set(uploadId, nameIn(request.path));
  }
  const calls = store.flatMap((one) => callOf(one) ?? []);
  return {
    calls,
    bytesTwice: bytesTwice(calls, owners),
    recordedAt: (uploadId, state) => moments.get(`${state} ${uploadId}`),
    completed: (name) =>
      new Set(
        calls
          .filter(
            ({ kind, isDone, uploadId }) => kind === 'complete' && isDone && owners.get(uploadId) === name,
          )
          .map(({ uploadId }) => uploadId),
      ),
  };
}

/** No part before the upload is recorded, and no Complete before the status announces it. */
export function checkFence(uploads: ReturnType<typeof readUploads>): readonly Rule[] {
  return uploads.calls.flatMap(({ uploadId, kind, at }): readonly Rule[] => {
    const committed = uploads.recordedAt(uploadId, 'committing');
    const recorded = kind === 'part' ? (uploads.recordedAt(uploadId, 'open') ?? committed) : committed;
    if (recorded !== undefined && recorded <= at) return [];
    const what = kind === 'part' ? 'a part was sent' : 'an upload was completed';
    return [{ rule: 'fence', text: `${what} before the status recorded it (${uploadId})` }];
  });
}
