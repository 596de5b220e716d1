/** Sources whose entries have all forms, and the steps of their jobs. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { askedRange } from '#test/support/servers/asked-range.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { until } from '#test/support/until.ts';
import { hexOfCrc32 } from '#zipper-image/sources/stated.ts';
import { type Ended, type Pod, ResumeWorld, type WorldOptions } from './resume-world.ts';

export interface Content {
  body: Buffer;
  etag?: string | undefined;
  /** Default true. */
  ranges?: boolean;
  /** Responds with this instead. */
  status?: number;
}

/** Serves what the content is at the time of the request. */
function serve(content: Content): OriginRoute {
  return (_request, response, incoming) => {
    const { body, etag, ranges = true, status } = content;
    if (status !== undefined) {
      response.writeHead(status).end();
      return;
    }
    const asked = ranges ? askedRange(incoming, body.length) : undefined;
    const headers = etag === undefined ? {} : { etag };
    const condition = incoming.headers['if-range'];
    if (!asked || (condition !== undefined && condition !== etag)) {
      response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
      return;
    }
    const { from, to } = asked;
    const range = `bytes ${from}-${to - 1}/${body.length}`;
    response.writeHead(206, { ...headers, 'content-length': to - from, 'content-range': range });
    response.end(body.subarray(from, to));
  };
}

/** Without a length. */
function chunked(body: Buffer): OriginRoute {
  return (_request, response) => {
    response.writeHead(200);
    response.write(body.subarray(0, body.length / 2));
    response.end(body.subarray(body.length / 2));
  };
}

const TEXT = Buffer.from('a line of a log, which is much like the one before it\n'.repeat(60_000));

type ContentName = 'first' | 'large' | 'small' | 'middle' | 'unnamed' | 'second' | 'last';

/** All forms of entries: whole, placed and encoded; with and without a validator. */
export function contents() {
  return {
    first: { body: randomBytes(300_000), etag: '"first"' },
    large: { body: randomBytes(3_000_000), etag: '"large"' },
    small: { body: Buffer.from('small') },
    middle: { body: randomBytes(900_000), etag: '"middle"' },
    unnamed: { body: randomBytes(1_500_000) },
    second: { body: randomBytes(2_500_000), etag: '"second"' },
    last: { body: randomBytes(400_000), etag: '"last"' },
  } satisfies Record<string, Content> as Record<ContentName, Content>;
}
export type Contents = Record<ContentName, Content>;

export function optionsOf(all: Contents, change: Partial<WorldOptions> = {}): WorldOptions {
  const streamed = randomBytes(700_000);
  return {
    routes: {
      ...Object.fromEntries(Object.entries(all).map(([name, content]) => [`/${name}`, serve(content)])),
      '/streamed': chunked(streamed),
      '/log': chunked(TEXT),
    },
    files: [
      '/first',
      '/large',
      '/small',
      'data:,inline',
      '/middle',
      { path: '/log', filename: 'a.log' },
      '/unnamed',
      '/streamed',
      '/second',
      '/last',
    ],
    ...change,
  };
}

/** The same, and the job states the CRC-32 of all files that have a length. */
export function statedOptionsOf(all: Contents): WorldOptions {
  const options = optionsOf(all);
  return {
    ...options,
    files: options.files.map((path) => {
      const body = typeof path === 'string' ? bodyAt(all, path) : undefined;
      return typeof path === 'string' && body ? { path, crc32: hexOfCrc32(crc32(body)) } : path;
    }),
  };
}

function bodyAt(all: Contents, path: string): Buffer | undefined {
  return Object.entries(all).find(([name]) => path === `/${name}`)?.[1].body;
}

/** The archive of a job that nobody disturbed. */
export async function undisturbed(
  world: ResumeWorld,
): Promise<{ readonly archive: Buffer; readonly steps: readonly string[] }> {
  const pod = world.nextPod();
  const { error } = await pod.run();
  if (error) throw error;
  const archive = world.archive;
  if (!archive) throw new Error('there is no archive');
  world.hostile.objects.clear();
  world.checkpoint = undefined;
  world.written.clear();
  return { archive, steps: pod.steps };
}

/** Kills the first pod when this many parts are confirmed and in a checkpoint. */
export async function killedAfter(world: ResumeWorld, parts: number): Promise<Pod> {
  const pod = world.nextPod();
  let confirmed = 0;
  let isReached = false;
  pod.onStep = async (step) => {
    if (step === 'uploadPart after') confirmed += 1;
    if (step === 'checkpoint after' && confirmed >= parts) isReached = true;
    if (step === 'uploadPart before' && confirmed >= parts) await until('the kill', () => pod.isDead);
    // The status says that there is one.
    if (step === 'status open after' && isReached && world.uploadOf(pod)?.checkpoint !== undefined)
      pod.isDead = true;
  };
  const { result } = await pod.run();
  expect(result, 'the pod was to be killed').to.equal(undefined);
  world.over(pod, 137);
  expect(world.inherits).to.not.equal(undefined);
  return pod;
}

export async function finished(pod: Pod): Promise<Ended> {
  const ended = await pod.run();
  if (ended.error) throw ended.error;
  return ended;
}
