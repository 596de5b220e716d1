import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { createLogger } from '#runtime/log/log.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { ZIPPER_DEFAULTS } from '#zipper-image/config.ts';
import { download } from '#zipper-image/sources/download.ts';
import { createDownloadDeps } from '#zipper-image/sources/fetch-source.ts';
import type { SourceHead } from '#zipper-image/sources/response-head.ts';
import { SourceError } from '#zipper-image/sources/source-error.ts';
import { rawServer } from '../raw-server.ts';
import { DIFFERENCES, type Reason } from './differences.ts';
import { generateFields } from './fields.ts';
import { generateFramings } from './framing.ts';

/** What a client makes of a response. */
interface Reading {
  /** The whole body, one byte per character. */
  readonly body: string;
  readonly length: number | null;
  /** A strong ETag. */
  readonly etag: string | null;
  /** Seconds since 1970. */
  readonly modified: number | null;
  readonly coding: string | null;
}

type Outcome = Reading | { readonly refused: string };

function isRefused(outcome: Outcome | undefined): outcome is { readonly refused: string } {
  return outcome !== undefined && 'refused' in outcome;
}

/** http.client, with the dates of strptime. A file is what has status 200 and a complete body. */
const CLIENT = `import calendar, http.client, json, sys, time
from urllib.parse import urlsplit

FORMATS = ['%a, %d %b %Y %H:%M:%S GMT', '%A, %d-%b-%y %H:%M:%S GMT', '%a %b %d %H:%M:%S %Y']

def modified(values):
    for form in FORMATS:
        try:
            return calendar.timegm(time.strptime(values[0], form)) if len(values) == 1 else None
        except ValueError:
            pass

def strong(values):
    tag = values[0] if len(values) == 1 else ''
    inner = tag[1:-1]
    valid = all(one == '!' or '#' <= one <= '~' or one >= '\\x80' for one in inner)
    return tag if tag[:1] == '"' == tag[-1:] and inner and valid else None

def coding(values):
    names = [name.strip().lower() for name in ','.join(values).split(',')]
    return ','.join(name for name in names if name not in ('', 'identity')) or None

def read(url):
    parts = urlsplit(url)
    client = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
    try:
        client.request('GET', parts.path)
        response = client.getresponse()
        length = response.length
        # In pieces, because read() allocates the declared length, and with the check that it then leaves out.
        body = b''.join(iter(lambda: response.read(65536), b'')).decode('latin1')
        # The parser of headers drops no blanks at their end.
        values = lambda name: [value.strip(' \\t') for value in response.headers.get_all(name, [])]
        if response.status != 200 or length not in (None, len(body)):
            return {'refused': f'status {response.status}, {len(body)} of {length} bytes'}
        return { 'body': body, 'length': length, 'etag': strong(values('etag')),
                 'modified': modified(values('last-modified')), 'coding': coding(values('content-encoding')) }
    except (http.client.HTTPException, OSError, ValueError) as error:
        return {'refused': type(error).__name__}
    finally:
        client.close()

print(json.dumps([read(url) for url in json.load(sys.stdin)]))`;

async function readWithPython(urls: readonly string[]): Promise<readonly Outcome[]> {
  const python = spawn('python3', ['-c', CLIENT], { stdio: ['pipe', 'pipe', 'inherit'] });
  python.stdin.end(JSON.stringify(urls));
  return JSON.parse(await text(python.stdout)) as Outcome[];
}

function toReading(head: SourceHead, body: Buffer): Reading {
  return {
    body: body.toString('latin1'),
    length: head.declaredLength ?? null,
    etag: head.etag ?? null,
    modified: head.lastModified ? head.lastModified.getTime() / 1000 : null,
    coding: head.contentEncoding ?? null,
  };
}

/** Each with gates of its own, because refused responses may close those of their origin. */
async function readWithOurs(urls: readonly string[]): Promise<readonly Outcome[]> {
  const policy = createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] });
  const agent = createGuardedAgent(policy, { connections: 16 });
  const settings = ZIPPER_DEFAULTS;
  const log = createLogger('test', { level: 'error' });
  const { signal } = new AbortController();
  async function read(url: string, index: number): Promise<Outcome> {
    const heads: SourceHead[] = [];
    const chunks: Buffer[] = [];
    const sink = {
      start: (head: SourceHead) => void heads.push(head),
      continue: () => undefined,
      write: (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk)),
    };
    try {
      const deps = createDownloadDeps({ agent, policy, settings, log, onUnreachable: undefined });
      await download({ index, filename: `${index}`, url, sink, signal, resume: undefined }, deps);
    } catch (error) {
      if (error instanceof SourceError) return { refused: error.message };
      throw error;
    }
    if (!heads[0]) throw new Error(`${url} ended without a head`);
    return toReading(heads[0], Buffer.concat(chunks));
  }
  try {
    return await Promise.all(urls.map(read));
  } finally {
    await agent.destroy();
  }
}

describe('the heads of responses', () => {
  const heads = [...generateFramings(), ...generateFields()];
  let ours: readonly Outcome[];
  let theirs: readonly Outcome[];

  before(async function () {
    await requirePrograms(this, ['python3']);
    await using server = await rawServer((request) => heads[Number(/\d+/.exec(request)?.[0])]?.bytes ?? '');
    const urls = heads.map((_, index) => new URL(`/${index}`, server.url).href);
    [ours, theirs] = await Promise.all([readWithOurs(urls), readWithPython(urls)]);
  });

  it('are read as Python reads them, except where a rule or an attack forbids it (FD7) (FD8) (FD9) (FD17) (FD18)', () => {
    expect(heads.length).to.be.at.least(200);
    for (const [index, { name, differs }] of heads.entries()) {
      const [own, other] = [ours[index], theirs[index]];
      const isSame = isRefused(own) ? isRefused(other) : isDeepStrictEqual(own, other);
      const both = `${name}: ${JSON.stringify(own)} and ${JSON.stringify(other)}`;
      expect(isSame ? undefined : (differs ?? 'for no reason'), both).to.equal(differs);
    }
  });

  for (const [key, reason] of Object.entries<Reason>(DIFFERENCES))
    it(`are ${reason.ours} if they differ by "${key}": ${reason.why}`, () => {
      const found = heads.flatMap(({ differs }, index) => (differs === key ? [ours[index]] : []));
      expect(found).to.not.have.length(0);
      for (const outcome of found) {
        expect(isRefused(outcome)).to.equal(reason.ours === 'refused');
        if (reason.parser && isRefused(outcome)) expect(outcome.refused).to.include('is not valid HTTP: ');
      }
    });
});
