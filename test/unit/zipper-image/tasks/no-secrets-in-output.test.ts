/** No output of a zipper contains a secret that it was given, whatever the result and the log level. */
import { createServer } from 'node:https';
import { expect } from 'chai';
import type { ListedFile } from '#crds/zip-job.ts';
import { runZipper, ZipperHost } from '#test/support/processes/zipper-process.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type Fault, type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';

const CANARY = 'CANARY7f3a';
/** Encodings in which libraries may write it. */
const SPELLINGS = [
  CANARY,
  CANARY.toLowerCase(),
  Buffer.from(`user:${CANARY}`).toString('base64').slice(0, 16),
];
const QUERY = `X-Amz-Signature=${CANARY}&X-Amz-Credential=${CANARY}&password=${CANARY}&plain=${CANARY}`;
/** Few attempts: a retry would only repeat the output. */
const ENV = {
  STORE_RETRY_LIMIT_MS: '0',
  STORE_KEYS_LIMIT_MS: '0',
  SOURCE_RETRY_LIMIT_MS: '0',
  SOURCE_RETRY_BASE_MS: '1',
  SOURCE_IDLE_TIMEOUT_MS: '500',
  PART_SIZE_BYTES: String(5 * 1024 * 1024),
};

interface Case {
  readonly name: string;
  readonly path: string;
  readonly ends: 'success' | 'failure';
  readonly fault?: Fault;
  readonly faultOf?: 'create' | 'part' | 'complete';
}

function storeResponse(status: number, code: string): Fault {
  return { kind: 'response', status, code };
}

const CASES: readonly Case[] = [
  { name: 'a job that succeeds', path: '/gen/100000/1', ends: 'success' },
  { name: 'a missing source', path: '/status/404', ends: 'failure' },
  { name: 'a source that denies access', path: '/status/403', ends: 'failure' },
  { name: 'a source that fails', path: '/status/502', ends: 'failure' },
  { name: 'a source that truncates its body', path: '/die/1000/100000/1', ends: 'failure' },
  { name: 'a source that stalls', path: '/stall/1000/100000/1', ends: 'failure' },
  {
    name: 'a source that redirects to a blocked address',
    path: `/redirect/302?to=${encodeURIComponent(`http://169.254.169.254/${CANARY}/?${QUERY}`)}`,
    ends: 'failure',
  },
  {
    name: 'a source that redirects to an invalid URL',
    path: `/redirect/302?to=${encodeURIComponent(`ftp://user:${CANARY}@host/${CANARY}?${QUERY}`)}`,
    ends: 'failure',
  },
  { name: 'a source with an invalid certificate', path: 'tls', ends: 'failure' },
  { name: 'a source that refuses connections', path: 'closed', ends: 'failure' },
  { name: 'a source at a refused address', path: 'private', ends: 'failure' },
  { name: 'a source with a refused name', path: 'name', ends: 'failure' },
  ...(['create', 'part', 'complete'] as const).map(
    (faultOf): Case => ({
      name: `a store that denies ${faultOf}`,
      path: '/gen/100000/1',
      ends: 'failure',
      faultOf,
      fault: storeResponse(403, 'AccessDenied'),
    }),
  ),
  {
    name: 'a store that refuses the signature',
    path: '/gen/100000/1',
    ends: 'failure',
    faultOf: 'create',
    fault: storeResponse(403, 'SignatureDoesNotMatch'),
  },
  {
    name: 'a store that closes the connection',
    path: '/gen/100000/1',
    ends: 'failure',
    faultOf: 'part',
    fault: { kind: 'drop', when: 'before' },
  },
];

describe('output of a zipper', function () {
  this.timeout(60_000);
  let host: ZipperHost;
  let origin: FileOrigin;
  let tls: FileOrigin;
  let store: HostileStore;

  before(async () => {
    host = await ZipperHost.start();
    origin = await startFileOrigin();
    const certificate = { cert: certificateText('self-signed.pem'), key: certificateText('server.key') };
    tls = await startFileOrigin({
      scheme: 'https',
      makeServer: (listener) => createServer(certificate, listener),
    });
  });
  after(async () => {
    await tls[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    store = await startHostileStore();
    host.status.writes.length = 0;
  });
  afterEach(() => store[Symbol.asyncDispose]());

  function fileOf(path: string): ListedFile {
    const bases: Readonly<Record<string, string>> = {
      tls: `${tls.origin}/gen/10/1`,
      closed: 'http://127.0.0.1:1/a',
      private: 'http://10.11.12.13/a',
      name: `http://${CANARY}.internal/a`,
    };
    const url = new URL(bases[path] ?? origin.url(path));
    // Links to shared files are credentials too.
    url.pathname += `/${CANARY}`;
    const { searchParams } = url;
    for (const [name, value] of new URLSearchParams(QUERY)) searchParams.set(name, value);
    const headers = { authorization: `Basic ${CANARY}`, 'x-api-key': CANARY, cookie: `session=${CANARY}` };
    return { url: url.href, filename: 'a.bin', headers };
  }

  /** Everything that left the process: output, status writes and termination message. */
  async function outputOf(given: Case, logLevel: string) {
    const { fault, faultOf } = given;
    store.fault = ({ operation }) => (operation === faultOf ? fault : undefined);
    const program = await host.prepare({
      endpoint: store.endpoint,
      bucket: 'bucket',
      key: 'a.zip',
      accessKeyId: 'id',
      secretAccessKey: CANARY,
      token: CANARY,
      files: [fileOf(given.path)],
      env: { ...ENV, LOG_LEVEL: logLevel },
    });
    const { code, output, message } = await runZipper(program);
    const statuses = JSON.stringify(
      host.status.writes.map(({ status, metadata, url }) => [status, metadata, url]),
    );
    return { code, output, all: [output, message, statuses].join('\n') };
  }

  /** What an address of a source, or the refusal of one, would show. */
  function facts(): readonly string[] {
    return [
      `:${origin.port}`,
      `:${tls.port}`,
      '127.0.0.1:1/',
      '10.11.12.13',
      '169.254.169.254',
      'EgressRefused',
      'cloud-metadata',
      'link-local',
      '"private"',
      'ECONNREFUSED',
    ];
  }

  for (const given of CASES)
    it(`contains no secret, and nothing about addresses of sources, after ${given.name} (H9, N22)`, async () => {
      const { code, output, all } = await outputOf(given, 'trace');
      if (given.ends === 'success') expect(code, output).to.equal(0);
      else expect(code, output).to.be.greaterThan(0);
      expect(output).not.to.equal('');
      for (const spelling of [...SPELLINGS, ...facts()]) expect(all).not.to.include(spelling);
    });

  // Between these and 'trace', a level only leaves lines out.
  for (const level of ['info', 'silent'])
    it(`contains no secret at level ${level} (H9, N22)`, async () => {
      const { all } = await outputOf({ name: '', path: '/die/1000/100000/1', ends: 'failure' }, level);
      for (const spelling of SPELLINGS) expect(all).not.to.include(spelling);
    });
});
