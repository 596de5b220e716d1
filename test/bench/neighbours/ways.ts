/**
 * The ways in which one project misbehaves, each at the highest rate that its limits allow. Those with stored jobs are last,
 * because these jobs are stored once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { HOSTILE_BODIES, LARGEST_REQUESTS } from '#test/support/builders/large-bodies.ts';
import { openSlowClients } from '#test/support/clients/slow-clients.ts';

export interface Target {
  readonly baseUrl: string;
  readonly token: string;
  readonly bucketName: string;
  /** URL of a page of the dashboard, and the cookies of each session that requests it. */
  readonly page: string;
  readonly cookies: readonly string[];
}

type Misbehave = (target: Target) => Promise<never>;

const LARGEST_BYTES = 16 * 1024 * 1024;
const NO_SUCH_JOB = '00000000-0000-4000-8000-000000000000';
/** A client that ignores Retry-After, but does not spin. */
const REFUSED_PAUSE_MS = 20;
/** The limit of a session is 600 requests per minute. */
const SESSION_PAUSE_MS = 100;

/** Requests of all ways of this process. */
let requests = 0;

export function requestsSoFar(): number {
  return requests;
}

async function send({ baseUrl, token }: Target, path: string, body?: Buffer): Promise<void> {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${baseUrl}${path}`, { method, headers, body: body ?? null }).catch(
    () => undefined,
  );
  await response?.text().catch(() => undefined);
  requests += 1;
  if (response?.ok !== true) await delay(REFUSED_PAUSE_MS);
}

/** Repeats a request in several lanes. */
function repeat(lanes: number, request: (target: Target) => Promise<void>): Misbehave {
  return (target) => {
    async function lane(): Promise<never> {
      for (;;) await request(target);
    }
    return Promise.race(Array.from({ length: lanes }, lane));
  };
}

function bodies(list: readonly Buffer[]) {
  let next = 0;
  return (): Buffer => list[next++ % list.length] ?? Buffer.alloc(0);
}

function small({ bucketName }: Target): Buffer {
  const urls = [{ url: 'https://files.example.com/a', filename: 'a' }];
  return Buffer.from(JSON.stringify({ bucket_name: bucketName, key: `${Math.random()}.zip`, urls }));
}

const hugeJson: Misbehave = (target) => {
  const kinds = ['empty entries', 'empty arrays', 'different keys', 'escaped quotes'] as const;
  const next = bodies(kinds.map((kind) => HOSTILE_BODIES[kind]?.(LARGEST_BYTES) ?? Buffer.alloc(0)));
  return repeat(4, (to) => send(to, '/v1/zips', next()))(target);
};

const largestRequests: Misbehave = (target) => {
  const text = LARGEST_REQUESTS['presigned URLs']().toString();
  const body = Buffer.from(text.replace('"bucket_name":"archive"', `"bucket_name":"${target.bucketName}"`));
  return repeat(2, (to) => send(to, '/v1/zips', body))(target);
};

const slowSenders: Misbehave = async ({ baseUrl: url, token }) => {
  for (;;) {
    using slow = openSlowClients({ url, count: 1_000, everyMs: 1_000, token });
    while (slow.closed < 1_000) await delay(500);
  }
};

const browse: Misbehave = ({ page, cookies }) => {
  async function session(cookie: string): Promise<never> {
    for (;;) {
      const response = await fetch(page, { headers: { cookie } }).catch(() => undefined);
      await response?.text().catch(() => undefined);
      requests += 1;
      await delay(SESSION_PAUSE_MS);
    }
  }
  return Promise.race(cookies.map(session));
};

/** The controller alone does the work. */
const wait: Misbehave = async () => {
  for (;;) await delay(1_000);
};

const manyCreates = repeat(32, (target) => send(target, '/v1/zips', small(target)));

export const WAYS: Readonly<Record<string, Misbehave>> = {
  'huge JSON': hugeJson,
  'largest requests': largestRequests,
  'slow senders': slowSenders,
  'many creates': manyCreates,
  'many reads': repeat(32, (target) => send(target, `/v1/zips/${NO_SUCH_JOB}`)),
  'invalid tokens': repeat(32, (target) => send({ ...target, token: 'invalid' }, `/v1/zips/${NO_SUCH_JOB}`)),
  'webhooks to silent names': wait,
  'dashboard logs': browse,
  'dashboard polls': browse,
  'stored jobs': manyCreates,
};
