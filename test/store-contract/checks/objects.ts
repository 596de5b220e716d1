/** Options and keys of objects. */
import type { TaskBucket } from '#crds/zipper-task.ts';
import { StoreError } from '#zipper-image/store/store-errors.ts';
import { type Check, demand } from '../check.ts';
import { publish, type World } from '../world.ts';

const OPTIONS = { cacheControl: 'no-store', contentDisposition: 'attachment', metadata: { team: 'sales' } };
/** Stores that keep objects as files allow 255 bytes between two slashes. */
const SEGMENT = 'k'.repeat(200);

/** How an option is not supported; undefined if it is. */
async function optionFault({ open, key }: World, bucket: Partial<TaskBucket>): Promise<string | undefined> {
  try {
    await publish(open({ bucket }), key());
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // The zipper's own code for an option that the store accepts and does not confirm.
    const said = error.storeCode === 'InvalidSettings' ? 'does not confirm it' : `says ${error.storeCode}`;
    return `it ${said}, so the option cannot be used`;
  }
}

function keepsKey(name: string, keyName: string): Check {
  return {
    name,
    run: async ({ store, key, reader }) => {
      const at = key(keyName);
      try {
        await publish(store, at);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        return `it says ${error.storeCode}`;
      }
      demand((await store.head(at)) !== undefined, 'HEAD does not find the object');
      return (await reader.keys()).includes(at) ? undefined : 'its list spells the key in another way';
    },
  };
}

export const OBJECT_CHECKS: readonly Check[] = [
  {
    name: 'keeps content type, cache control, content disposition and metadata',
    run: async ({ open, key, reader }) => {
      const at = key();
      await publish(open({ bucket: OPTIONS }), at);
      const head = await reader.head(at);
      const kept = {
        'content type': head.ContentType === 'application/zip',
        'cache control': head.CacheControl === OPTIONS.cacheControl,
        'content disposition': head.ContentDisposition === OPTIONS.contentDisposition,
        metadata: head.Metadata?.['team'] === OPTIONS.metadata.team,
      };
      const lost = Object.entries(kept).flatMap(([what, isKept]) => (isKept ? [] : what));
      return lost.length === 0 ? undefined : `it loses ${lost.join(', ')}`;
    },
  },
  {
    name: 'keeps tags',
    run: async (world) => {
      const fault = await optionFault(world, { tags: { team: 'sales' } });
      if (fault !== undefined) return fault;
      const at = world.key();
      await publish(world.open({ bucket: { tags: { team: 'sales' } } }), at);
      // The reader fails at a store that does not know tags.
      const { tags } = await world.reader.describe(at).catch(() => ({ tags: [] }));
      return tags[0]?.Value === 'sales' ? undefined : 'it accepts tags and does not return them';
    },
  },
  {
    name: 'confirms serverSideEncryption AES256',
    run: (world) => optionFault(world, { serverSideEncryption: 'AES256' }),
  },
  { name: 'accepts storageClass STANDARD', run: (world) => optionFault(world, { storageClass: 'STANDARD' }) },
  keepsKey('keeps keys with spaces, signs and letters of any language', 'a b+c&d=%41/ä😀\'"().zip'),
  keepsKey('keeps keys of 1,000 bytes', `${SEGMENT}/${SEGMENT}/${SEGMENT}/${SEGMENT}/${'k'.repeat(150)}`),
  {
    name: 'deletes an object',
    run: async ({ store, key }) => {
      const at = key();
      await publish(store, at);
      await store.deleteObject(at);
      demand((await store.head(at)) === undefined, 'the object is still there');
      return undefined;
    },
  },
];
