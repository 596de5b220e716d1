/** The zipper's uploader, its recovery and the test of a bucket, at this store. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { RecoveryTask } from '#crds/zipper-task.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import type { Finish } from '#zipper-image/store/finish-upload.ts';
import { base64Crc } from '#zipper-image/store/part-verification.ts';
import { createUpload, type Upload } from '#zipper-image/store/upload.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { checkBucket } from '#zipper-image/tasks/check-bucket.ts';
import { recover } from '#zipper-image/tasks/recover.ts';
import { type Check, demand } from '../check.ts';
import { errorOf, publish, type World, ZIPPER_SETTINGS } from '../world.ts';

const ARCHIVE_BYTES = 11 * 1024 * 1024;
const PARTS = 3;
const PIECE_BYTES = 65_536;
/** Times in lists have whole seconds. */
const SECOND_MS = 1000;

function openUpload({ store, log }: World, key: string, attempt: string): Promise<Upload> {
  return createUpload({
    store,
    settings: ZIPPER_SETTINGS,
    log,
    key,
    attempt,
    onConflict: 'replace',
    signal: new AbortController().signal,
    onFailure: () => undefined,
    uploadsLeft: createUploadsLeft(),
  });
}

interface Archive {
  readonly key: string;
  readonly attempt: string;
  readonly body: Buffer;
}

async function filled(world: World, { key, attempt, body }: Archive): Promise<Upload> {
  const upload = await openUpload(world, key, attempt);
  for (let at = 0; at < body.length; at += PIECE_BYTES)
    await upload.sink.write(body.subarray(at, at + PIECE_BYTES));
  await upload.finishParts();
  return upload;
}

type Lost = Pick<RecoveryTask, 'key'> &
  Partial<Pick<RecoveryTask, 'since' | 'endedAt'>> &
  (
    | {
        readonly uploadState: 'committing';
        readonly uploadId: string;
        readonly bytes?: number;
        readonly finish?: Finish;
      }
    | { readonly uploadState: 'unrecorded' }
  );

function committed({ uploadId }: Upload) {
  return { uploadState: 'committing', uploadId } as const;
}

/** What a lost attempt recorded of its parts. */
function recordOf(
  { partsDigest }: Upload,
  { bytes, parts }: { readonly bytes: number; readonly parts: number },
) {
  return { bytes, finish: { parts, partsDigest, onConflict: 'replace' } } as const;
}

/** What recovery says about a lost attempt, and how many uploads it could not abort. */
async function recovered({ store, log, target }: World, lost: Lost) {
  const left = createUploadsLeft();
  const outcome = await recover({
    task: {
      contractVersion: 1,
      mode: 'recover',
      zipJobUid: 'uid-1',
      bucket: { service: 's3', name: target.bucket },
      attempt: 'pod-1',
      since: new Date(0).toISOString(),
      endedAt: new Date().toISOString(),
      endedAgeSeconds: 0,
      ...lost,
    },
    store,
    settings: ZIPPER_SETTINGS,
    log,
    stopping: new AbortController().signal,
    startedMs: performance.now() + (lost.uploadState === 'unrecorded' ? SECOND_MS : 0),
    onAbortFailed: left.abortFailed,
    onCompleteSent: left.completeSent,
  });
  return { ...outcome, ...left.reported() };
}

/** The object is the archive, and the store has verified that itself if it can. */
async function demandArchive(
  { reader, store }: World,
  { key, body }: Omit<Archive, 'attempt'>,
): Promise<void> {
  demand((await reader.bytes(key)).equals(body), 'the object is not the archive');
  if (!store.verifiesObject) return;
  const found = await reader.checksum(key);
  const isVerified = found.crc32 === base64Crc(crc32(body)) && found.type === 'FULL_OBJECT';
  demand(isVerified, `the archive has the checksum ${found.crc32} of type ${found.type}`);
}

export const ZIPPER_CHECKS: readonly Check[] = [
  {
    name: 'receives an archive whose parts were verified, and keeps no incomplete upload',
    run: async (world) => {
      const at = world.key();
      const body = randomBytes(ARCHIVE_BYTES);
      const upload = await filled(world, { key: at, attempt: 'pod-1', body });
      await upload.complete();
      await demandArchive(world, { key: at, body });
      demand((await world.store.head(at))?.attempt === 'pod-1', 'the attempt is not in the metadata');
      return (await world.store.listUploads(at)).length === 0 ? undefined : 'it still lists the upload';
    },
  },
  {
    name: 'keeps the older object when an upload is abandoned',
    run: async (world) => {
      const at = world.key();
      await publish(world.store, at);
      const before = await world.store.head(at);
      await (await filled(world, { key: at, attempt: 'pod-2', body: randomBytes(2000) })).abandon();
      demand(isDeepStrictEqual(await world.store.head(at), before), 'the object changed');
      return undefined;
    },
  },
  {
    name: 'shows to a recovery that an archive was published',
    run: async (world) => {
      const at = world.key();
      const upload = await filled(world, { key: at, attempt: 'pod-1', body: randomBytes(ARCHIVE_BYTES) });
      const { etag } = await upload.complete();
      const outcome = await recovered(world, { key: at, ...committed(upload) });
      if (outcome.outcome === 'published' && outcome.bytes === ARCHIVE_BYTES && outcome.etag === etag)
        return undefined;
      throw new Error(`recovery says ${JSON.stringify(outcome)} about an archive of ${PARTS} parts`);
    },
  },
  {
    name: 'lets a recovery complete the upload of a lost attempt',
    run: async (world) => {
      const at = world.key();
      const body = randomBytes(ARCHIVE_BYTES);
      const upload = await filled(world, { key: at, attempt: 'pod-1', body });
      const record = recordOf(upload, { bytes: ARCHIVE_BYTES, parts: PARTS });
      // Of another process, which knows only what the store lists.
      const outcome = await recovered(
        { ...world, store: world.open({}) },
        { key: at, ...committed(upload), ...record },
      );
      if (outcome.outcome === 'absent')
        return 'recovery cannot complete it, so the archive of an attempt that was lost at its end is made again';
      demand(outcome.outcome === 'published', `recovery says ${JSON.stringify(outcome)}`);
      await demandArchive(world, { key: at, body });
      return undefined;
    },
  },
  {
    name: 'lets a recovery end the upload of a lost attempt for good',
    run: async (world) => {
      const at = world.key();
      const upload = await filled(world, { key: at, attempt: 'pod-1', body: randomBytes(2000) });
      const outcome = await recovered(world, { key: at, ...committed(upload) });
      demand((await errorOf(upload.complete())) instanceof Error, 'the lost attempt can still publish');
      demand((await world.store.head(at)) === undefined, 'the lost attempt left an object');
      return outcome.outcome === 'absent' ? undefined : `recovery says ${JSON.stringify(outcome)}`;
    },
  },
  {
    name: 'lets a recovery without a record abort only the uploads of the attempt',
    run: async (world) => {
      const { store, key } = world;
      const at = key('unrecorded.zip');
      const longer = key('unrecorded.zip.other');
      const since = new Date().toISOString();
      await store.createUpload(at, 'pod-1');
      const other = { key: longer, uploadId: await store.createUpload(longer, 'pod-1') };
      const endedAt = new Date(Date.now() + SECOND_MS).toISOString();
      const outcome = await recovered(world, { key: at, since, endedAt, uploadState: 'unrecorded' });
      const seen = await store.lookAtUpload(other).catch(() => 'unlisted');
      await store.abortUpload(other);
      demand(seen !== 'gone', 'recovery aborted the upload of another key');
      if (outcome.outcome === 'absent' && outcome.abortFailures === undefined) return undefined;
      return `recovery says ${JSON.stringify(outcome)}, so only its lifecycle rule removes an upload that was not recorded`;
    },
  },
  {
    name: 'passes the test of a bucket',
    run: async ({ store, log }) => {
      const { signal } = new AbortController();
      const check = await checkBucket({
        store,
        settings: ZIPPER_SETTINGS,
        log,
        podUid: `contract-${randomBytes(6).toString('hex')}`,
        signal,
        toFailure,
      });
      demand(check.ok, `it fails with ${check.failure?.code}`);
      const { missingPermissions: missing } = check;
      return missing.length === 0 ? undefined : `the test misses ${missing.join(', ')}`;
    },
  },
];
