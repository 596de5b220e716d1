/** Aborts and lists, by which recovery makes sure that a lost attempt publishes nothing and leaves nothing. */
import type { UploadRef } from '#zipper-image/store/store.ts';
import { isStoreCode } from '#zipper-image/store/store-errors.ts';
import { type Check, demand } from '../check.ts';
import { ATTEMPT, COMPLETE_LIMIT_MS, codeOf, errorOf, publish, sendParts } from '../world.ts';

const HOW = { onConflict: 'replace', limitMs: COMPLETE_LIMIT_MS } as const;
const UNLISTED = 'so only its lifecycle rule removes an upload that was not recorded';
/** Between the clock of a store and the time in its lists. */
const SLACK_MS = 5_000;

export const ABORT_CHECKS: readonly Check[] = [
  {
    name: 'lists the parts of an upload',
    run: async ({ store, key }) => {
      const at = key();
      const { upload } = await sendParts(store, at, [1000]);
      const seen = await store.lookAtUpload(upload).catch(codeOf);
      await store.abortUpload(upload);
      return seen === 'parts' ? undefined : `it says ${seen}, so parts that arrive late are not noticed`;
    },
  },
  {
    name: 'removes an aborted upload and its parts',
    run: async ({ store, key }) => {
      const { upload } = await sendParts(store, key(), [1000]);
      await store.abortUpload(upload);
      const seen = await store.lookAtUpload(upload).catch(codeOf);
      demand(seen !== 'parts', 'the parts of an aborted upload are still there');
      return seen === 'gone' ? undefined : `it says ${seen} instead of NoSuchUpload`;
    },
  },
  {
    name: 'never completes an aborted upload',
    run: async ({ store, key }) => {
      const at = key();
      const { upload, parts } = await sendParts(store, at, [1000]);
      await store.abortUpload(upload);
      const error = await errorOf(store.completeUpload(upload, parts, HOW));
      demand(error !== undefined, 'it completes an aborted upload');
      demand((await store.head(at)) === undefined, 'an aborted upload left an object');
      return isStoreCode(error, 'NoSuchUpload')
        ? undefined
        : `it says ${codeOf(error)} instead of NoSuchUpload`;
    },
  },
  {
    name: 'accepts a repeated abort, or says NoSuchUpload',
    run: async ({ store, key }) => {
      const at = key();
      const upload = { key: at, uploadId: await store.createUpload(at, ATTEMPT) };
      await store.abortUpload(upload);
      const error = await errorOf(store.abortUpload(upload));
      return error === undefined || isStoreCode(error, 'NoSuchUpload')
        ? undefined
        : `it says ${codeOf(error)}`;
    },
  },
  {
    name: 'lists the incomplete uploads of a key',
    run: async ({ store, key }) => {
      const uploads: UploadRef[] = [];
      for (const at of [key('listed.zip'), key('listed.zip.more')])
        uploads.push({ key: at, uploadId: await store.createUpload(at, ATTEMPT) });
      const [wanted] = uploads;
      const listed = await store.listUploads(wanted?.key ?? '').catch(codeOf);
      for (const upload of uploads) await store.abortUpload(upload);
      const ids = typeof listed === 'string' ? listed : listed.map(({ uploadId }) => uploadId).join(', ');
      return ids === wanted?.uploadId ? undefined : `it says ${ids || 'nothing'}, ${UNLISTED}`;
    },
  },
  {
    name: 'lists uploads with a time of its Date header',
    run: async ({ store, key }) => {
      const at = key();
      const upload = { key: at, uploadId: await store.createUpload(at, ATTEMPT) };
      const [listed] = await store.listUploads(at).catch(() => []);
      await store.abortUpload(upload);
      const clock = store.clock.at(performance.now());
      const initiated = listed?.initiated?.getTime() ?? NaN;
      if (!clock) return `its responses have no Date header, ${UNLISTED}`;
      const isNow = initiated <= clock.latest + SLACK_MS && initiated >= clock.earliest - SLACK_MS;
      return isNow ? undefined : `the time is another or missing, ${UNLISTED}`;
    },
  },
  {
    name: 'lists no completed upload',
    run: async ({ store, key }) => {
      const at = key();
      await publish(store, at);
      const listed = await store.listUploads(at).catch(codeOf);
      if (typeof listed === 'string') return `it says ${listed}`;
      return listed.length === 0 ? undefined : 'a completed upload is still listed';
    },
  },
];
