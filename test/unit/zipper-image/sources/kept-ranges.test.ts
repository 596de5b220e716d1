/** Large files of which an earlier pod has uploaded some ranges. */
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { aPlace } from '#test/support/builders/places.ts';
import { askedRange } from '#test/support/servers/asked-range.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { StoredData } from '#zipper-image/archive/stored-data.ts';
import { withReader } from './source-harness.ts';

const MIB = 1024 * 1024;
const BYTES = 5 * MIB;
const PART = 600_000;
const content = generatedBytes(BYTES, 9);

/** Plans the file part by part. Of the kept parts nothing is wanted. */
async function plan(data: StoredData, isKept: (part: number) => boolean): Promise<void> {
  for (let part = 1; data.unplanned > 0; part += 1) {
    const bytes = Math.min(PART, data.unplanned);
    if (isKept(part)) data.skip(bytes, part);
    else data.plan([aPlace(Buffer.alloc(bytes), { part })]);
    await setImmediate();
  }
}

describe('the kept ranges of a file', () => {
  for (const ranges of ['refused', 'sent'] as const)
    for (const [what, isKept] of [
      ['some parts', (part: number) => part % 3 !== 1],
      ['the first parts', (part: number) => part < 4],
      ['the last parts', (part: number) => part > 4],
      ['all parts', () => true],
    ] as const)
      it(`are left out: ${what} of a source whose ranges are ${ranges}`, async () => {
        const whole = new StoredData(BYTES);
        const planned = plan(whole, () => false);
        await whole.write(content);
        await planned;
        await using origin = await startFileOrigin({
          routes: {
            '/file': (_, response, incoming) => {
              const asked = askedRange(incoming, BYTES);
              if (asked && ranges === 'refused') return void response.writeHead(416).end();
              const { from, to } = asked ?? { from: 0, to: BYTES };
              response.writeHead(asked ? 206 : 200, {
                etag: '"v1"',
                'content-length': to - from,
                ...(asked && { 'content-range': `bytes ${from}-${to - 1}/${BYTES}` }),
              });
              response.end(content.subarray(from, to));
            },
          },
        });
        await withReader(
          [origin.url('/file')],
          async (reader) => {
            for await (const { fill, body } of reader.entries()) {
              const data = new StoredData(BYTES, { recorded: whole.segments() });
              await Promise.all([fill?.(data, body), plan(data, isKept)]);
              expect([fill === undefined, data.isComplete]).to.deep.equal([false, true]);
              expect(data.wholeCrc()).to.equal(crc32(content));
              expect(data.segments()).to.deep.equal(whole.segments());
            }
          },
          { settings: { sourceRangedBytes: 2 * MIB, sourceReadersTickMs: 1 } },
        );
      });
});
