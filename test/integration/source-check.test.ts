/** All bad sources of a large job in one failure, on a real cluster. Prints what the check cost. */
import { createServer } from 'node:https';
import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { zipJobId } from '#crds/zip-job-facts.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';
import { type Flow, type FlowSource, startFlow } from '#test/support/worlds/flow.ts';

const FILES = 10_000;
const FIRST_BAD = 30;
/** A busy machine may not reach the last sources in time, so that all bad ones are before this index. */
const BAD_BEFORE = 500;
/** Number of bad sources of each kind, 137 in all, by the code that the check reports. */
const BAD = {
  SourceStalled: 10,
  SourceExpired: 25,
  SourceUnreachable: 20,
  SourceTlsError: 12,
  SourceNotFound: 70,
} as const;
type Code = keyof typeof BAD;
const EXPIRED = 'X-Amz-Date=20200101T000000Z&X-Amz-Expires=60&X-Amz-Signature=s';
const REFUSED = encodeURIComponent('http://10.0.0.1/');
const CONNECTIONS = 32;

interface CheckLog {
  readonly message?: string;
  readonly checked: number;
  readonly failed: number;
  readonly requested: number;
  readonly seconds: number;
}

interface ListedError {
  readonly files: readonly { file_index: number; code: string; http_status: number | null }[];
  readonly files_total: number;
}

function withoutStatus({ file_index, code }: ListedError['files'][number]) {
  return { file_index, code };
}

describe('a job with many bad sources', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let tls: FileOrigin;
  let files: ReturnType<typeof sources>;
  let [many, stalled] = ['', ''];

  // Both jobs at once, because the second one only waits. It has its own origin.
  before(async () => {
    flow = life.use(await startFlow('bad-sources', { jobDefaults: { maxAttempts: 1 } }));
    tls = life.use(
      await startFileOrigin({
        scheme: 'https',
        makeServer: (listener) =>
          createServer(
            { cert: certificateText('self-signed.pem'), key: certificateText('server.key') },
            listener,
          ),
      }),
    );
    const silent = life.use(await startFileOrigin());
    stalled = await flow.post([
      { url: silent.url('/status/404'), filename: 'missing' },
      ...Array.from({ length: 500 }, (_, n) => ({
        url: silent.url(`/silent?late=${n}`),
        filename: `stalled-${n}`,
      })),
    ]);
    // Its process has started, so that it takes no more CPU time from the other one.
    await until('the stalled job to request its sources', () => silent.requests.length > 30);
    files = sources();
    many = await flow.post(files.map(({ url, filename }) => ({ url, filename })));
  });
  after(() => life.disposeAsync());

  function badUrl(code: Code, n: number): string {
    const { origin } = flow;
    switch (code) {
      case 'SourceNotFound':
        return origin.url(`/status/404?${n}`);
      case 'SourceExpired':
        return origin.url(`/status/403?n=${n}&${EXPIRED}`);
      case 'SourceUnreachable':
        return origin.url(`/redirect/302?n=${n}&to=${REFUSED}`);
      case 'SourceTlsError':
        return tls.url(`/gen/1/${n}`);
      case 'SourceStalled':
        return origin.url(`/silent?${n}`);
    }
  }

  /** The first failure is permanent, so that it ends the job. Those that take long are next. */
  const codes = Object.entries(BAD)
    .flatMap(([code, count]) => Array<Code>(count).fill(code as Code))
    .toSpliced(-1, 1)
    .toSpliced(0, 0, 'SourceNotFound');

  function sources(): readonly (FlowSource & { readonly code?: Code })[] {
    const step = Math.floor((BAD_BEFORE - FIRST_BAD) / codes.length);
    return Array.from({ length: FILES }, (_, n) => {
      const filename = `file-${n}`;
      const at = (n - FIRST_BAD) / step;
      const code = Number.isInteger(at) ? codes[at] : undefined;
      return code === undefined
        ? { url: flow.origin.url(`/gen/2000/${n}`), filename }
        : { url: badUrl(code, n), filename, code };
    });
  }

  /** The zipper's own line about its check. */
  async function checkOf(job: ZipJob): Promise<CheckLog> {
    const log = await flow.kubectl('logs', `job/${job.metadata.name}`);
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as CheckLog);
    const found = lines.find(({ message }) => message === 'checked the sources that were not downloaded');
    if (found === undefined) throw new Error(`no check in the log:\n${log}`);
    return found;
  }

  async function apiErrorOf(job: ZipJob): Promise<ListedError> {
    const path = `/api/v1/zips/${zipJobId(job)}?expand=error`;
    const { text } = await askApi(flow.baseUrl, { path, token: flow.project.token });
    return (JSON.parse(text) as { data: { error: ListedError } }).data.error;
  }

  async function untilFailed(uuid: string): Promise<ZipJob> {
    const job = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed'], 200_000);
    expect(job.status, JSON.stringify(job.status)).to.include({ phase: 'Failed', reason: 'SourceNotFound' });
    expect(await flow.project.bucket.openUploadKeys()).not.to.include(job.spec.key);
    return job;
  }

  it('reports all 137 of 10,000 in one failure, within ten seconds and the limits per origin (C4)', async () => {
    const { origin } = flow;
    const job = await untilFailed(many);
    const { failure, sourceCheck, attempts } = job.status ?? {};
    const requests = origin.requests.length + tls.requests.length;
    const check = await checkOf(job);
    console.log(
      `      ${check.checked} of ${FILES} sources checked, ${check.failed} bad, in ${check.seconds} s;`,
      `${requests} requests, ${origin.connections} connections, at most ${origin.peakConnections} at a time`,
    );
    expect(failure).to.include({ code: 'SourceNotFound', fileIndex: FIRST_BAD, httpStatus: 404 });
    expect(attempts).to.have.length(1);
    const bad = files.flatMap(({ code }, fileIndex) => (code === undefined ? [] : [{ fileIndex, code }]));
    expect(bad).to.have.length(137);
    const checked = sourceCheck?.checked ?? 0;
    expect(checked).to.be.within(BAD_BEFORE, FILES);
    const good = checked - 137;
    expect(sourceCheck).to.include({ failed: 137, lengths: good, bytes: 2000 * good });
    expect(sourceCheck?.failures.map(({ fileIndex, code }) => ({ fileIndex, code }))).to.deep.equal(
      bad.slice(0, 100),
    );
    const unreachable = sourceCheck?.failures.filter(({ code }) => code === 'SourceUnreachable');
    expect(unreachable?.every(({ httpStatus }) => httpStatus === undefined)).to.equal(true);
    expect(job.status?.message).to.contain(`137 of ${checked} checked sources fail`);
    const listed = bad.map(({ fileIndex, code }) => ({ file_index: fileIndex, code }));
    const ofApi = await apiErrorOf(job);
    expect(ofApi).to.include({ files_total: 137, files_checked: checked, predicted_size: 2000 * good });
    expect(ofApi.files.map(withoutStatus)).to.deep.equal(listed.slice(0, 100));
    const { body } = await flow.receiver.next(({ body: text }) => text.includes(zipJobId(job)));
    const { error: ofWebhook } = JSON.parse(body) as { error: ListedError };
    expect(ofWebhook).to.include({ files_total: 137 });
    expect(ofWebhook.files.map(withoutStatus)).to.deep.equal(listed.slice(0, 20));
    expect(Buffer.byteLength(body)).to.be.at.most(20_000);
    expect(check.seconds).to.be.at.most(13);
    // One each, and once more for the downloads that the failure cancelled before their responses.
    expect(requests).to.be.within(checked - BAD.SourceTlsError, FILES + 2 * CONNECTIONS);
    expect(origin.peakRequests).to.be.at.most(2 * CONNECTIONS);
  });

  it('ends in time if its sources stall (C4)', async () => {
    const job = await untilFailed(stalled);
    const check = await checkOf(job);
    console.log(
      `      ${check.checked} of 501 sources checked in ${check.seconds} s, of which 500 never respond`,
    );
    expect(check.seconds).to.be.within(9, 13);
    const { sourceCheck } = job.status ?? {};
    expect(sourceCheck?.checked).to.equal(sourceCheck?.failed).and.to.be.within(2, 100);
  });
});
