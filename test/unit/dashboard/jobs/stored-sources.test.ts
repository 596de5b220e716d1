import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { FILE_LIST_SECRET_KEY } from '#crds/zipper-contract.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { ConfigChange } from '#test/support/builders/changed-config.ts';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  startDashboardServer,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets/`;
const PAGE = `/projects/${NAMESPACE}/jobs/${NAME}`;

function line(n: number): string {
  return `${JSON.stringify({ url: `https://u:SECRET@host-${n}.example/${n}?sig=SECRET`, filename: `<${n}>.txt`, headers: { authorization: 'SECRET' } })}\n`;
}

/** Two gzip members, as the API writes them. */
function chunkOf(...lines: readonly number[]): Buffer {
  return Buffer.concat(lines.map((n) => gzipSync(line(n))));
}

const CHUNKS = [chunkOf(0, 1), chunkOf(2, 3), chunkOf(4)];
const names = CHUNKS.map((_, n) => `${NAME}-files-${n}`);

function failedAt(indices: readonly number[], change: Partial<ZipJob['metadata']> = {}): ZipJob {
  return aZipJob({
    metadata: change,
    spec: { filesFrom: { secretNames: names, encoding: 'gzip+json', count: 5, sha256: '' } },
    status: finishedAs('Failed', {
      failure: { code: 'SourceNotFound', fileIndex: indices[0] ?? 0, httpStatus: 404, retriable: false },
      sourceCheck: {
        checked: 5,
        failed: indices.length,
        failures: indices.map((fileIndex) => ({ fileIndex, code: 'SourceNotFound', httpStatus: 404 })),
        bytes: 0,
        lengths: 0,
      },
    }),
  });
}

describe('names and hosts of a stored file list', () => {
  let server: DashboardServer;
  let job: ZipJob;
  let chunks: readonly Buffer[];
  async function start(env: ConfigChange = {}, allowed: readonly string[] = ['*']) {
    server = await startDashboardServer({ env });
    server.tokens.set(ADA, { name: 'ada', allowed });
    server.zipProjects.put(aProject(NAMESPACE));
    server.respondWith(({ path }) => {
      if (path.endsWith(`/zipjobs/${NAME}`)) return job;
      const index = names.indexOf(path.slice(SECRETS.length));
      const data = { [FILE_LIST_SECRET_KEY]: chunks[index]?.toString('base64') };
      if (path.startsWith(SECRETS) && index >= 0)
        return {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace: NAMESPACE, name: names[index] },
          data,
        };
      throw new KubeError('not found', { code: 'NotFound', httpStatus: 404 });
    });
    return visitAs(server, ADA);
  }
  function reads(): readonly string[] {
    return server.requests.flatMap(({ path }) =>
      path.startsWith(SECRETS) ? [path.slice(SECRETS.length)] : [],
    );
  }
  beforeEach(() => {
    chunks = CHUNKS;
    job = failedAt([1, 2]);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it('are read with the token of the user, until every failing file is found', async () => {
    const { text } = await (await start()).get(PAGE);
    expect(text)
      .to.contain('host-1.example responded with 404 for &lt;1&gt;.txt (file 2 of')
      .and.to.contain('<code id="job-host">host-1.example</code>')
      .and.to.contain('host-2.example')
      .and.to.not.contain('host-3.example')
      .and.to.not.contain('SECRET');
    expect(reads()).to.deep.equal(names.slice(0, 2));
    expect(server.requests.every(({ path, bearer }) => !path.startsWith(SECRETS) || bearer === ADA)).to.equal(
      true,
    );
    for (const entry of server.logLines) expect(entry).to.not.contain('SECRET');
  });

  it('are read once a minute by a page that polls, after a review each time', async () => {
    const visitor = await start();
    await visitor.get(PAGE);
    const { text } = await visitor.get(`/projects/${NAMESPACE}/live/jobs/${NAME}`);
    expect(text).to.contain('host-1.example');
    expect(reads()).to.have.lengthOf(2);
    server.tokens.set(ADA, { name: 'ada', allowed: [`get zipprojects ${NAMESPACE}`] });
    expect((await visitor.get(PAGE)).text)
      .to.contain('You are not allowed to read the file list')
      .and.to.not.contain('host-1.example');
  });

  it('are not read for a user who is not allowed to get the Secrets', async () => {
    const { text } = await (await start({}, [`get zipprojects ${NAMESPACE}`])).get(PAGE);
    expect(text)
      .to.contain(
        `You are not allowed to read the file list (Secret ${names[0]}), so names and hosts of files`,
      )
      .and.to.contain('file 2 of');
    expect(reads()).to.deep.equal([]);
  });

  it('are not read from Secrets that are not those of a file list', async () => {
    job = {
      ...job,
      spec: { ...job.spec, filesFrom: { ...job.spec.filesFrom, secretNames: ['zipbucket-s3-a'] } as never },
    };
    expect((await (await start()).get(PAGE)).text).to.contain('The file list cannot be read');
    expect(reads()).to.deep.equal([]);
  });

  it('are not read once the list was deleted, nor for a job without a failing file', async () => {
    const visitor = await start();
    job = failedAt([1], { annotations: { [ANNOTATIONS.fileListDeletedAt]: '2026-01-01T00:00:00Z' } });
    expect((await visitor.get(PAGE)).text).to.contain('because the file list was deleted');
    for (const status of [finishedAs('Failed'), { ...job.status, phase: 'Running' } as const]) {
      job = aZipJob({ status });
      expect((await visitor.get(PAGE)).text).to.not.contain('file list');
    }
    expect(reads()).to.deep.equal([]);
  });

  it('are not read from a list beyond the limit, whose size the annotation says', async () => {
    job = failedAt([1], { annotations: { [ANNOTATIONS.fileListBytes]: '100000' } });
    const visitor = await start({ dashboardFileListBytes: 50_000 });
    expect((await visitor.get(PAGE)).text).to.contain('too large to show');
    expect(reads()).to.deep.equal([]);
  });

  it('stop at the limit if no annotation says the size, as for a rerun', async () => {
    const visitor = await start({ dashboardFileListBytes: (CHUNKS[0]?.length ?? 0) + 1 });
    expect((await visitor.get(PAGE)).text).to.contain('too large to show');
    expect(reads()).to.deep.equal(names.slice(0, 2));
  });

  it('are not read beyond the last failing file, even if its line is damaged', async () => {
    chunks = [gzipSync('1\n'), ...CHUNKS];
    job = failedAt([0]);
    expect((await (await start()).get(PAGE)).text).to.contain('The file list cannot be read');
    expect(reads()).to.deep.equal(names.slice(0, 1));
  });

  it('are not read beyond the number of files, whatever index a failure has', async () => {
    chunks = [gzipSync('1\n'.repeat(5)), ...CHUNKS];
    job = failedAt([1_000_000]);
    expect((await (await start()).get(PAGE)).text).to.contain('The file list cannot be read');
    expect(reads()).to.deep.equal(names.slice(0, 1));
  });

  it('are unknown if they are longer than in the list of any job', async () => {
    const url = 'https://host-1.example/';
    function long(part: object): string {
      return `${JSON.stringify({ url, filename: 'a.txt', ...part })}\n`;
    }
    const visitor = await start();
    job = failedAt([0]);
    for (const part of [
      { filename: 'LONG'.repeat(1_000) },
      { url: `https://${'LONG.'.repeat(1_000)}example/` },
      { headers: 'x'.repeat(300 * 1024), filename: 'LONG' },
    ]) {
      chunks = [gzipSync(long(part))];
      expect((await visitor.get(PAGE)).text).to.contain('The file list cannot be read');
    }
  });

  it('may be in lines that are longer than a piece of the list', async () => {
    const url = `data:text/plain,${'a'.repeat(190 * 1024)}`;
    chunks = [gzipSync(`${JSON.stringify({ url, filename: 'inline.txt' })}\n${line(1)}`)];
    job = failedAt([0, 1]);
    const { text } = await (await start()).get(PAGE);
    expect(text).to.contain('inline.txt').and.to.contain('host-1.example');
  });

  it('are unknown if the list is damaged, which is not kept', async () => {
    const visitor = await start();
    for (const damaged of [
      Buffer.from('no gzip'),
      gzipSync('{'),
      gzipSync('1\n2\n'),
      gzipSync('null\nnull\n'),
    ]) {
      chunks = [damaged, damaged, damaged];
      expect((await visitor.get(PAGE)).status).to.equal(200);
    }
    for (const damaged of [Buffer.alloc(0), gzipSync(Buffer.alloc(33 * 1024 * 1024, 'a'))]) {
      chunks = [damaged, ...CHUNKS];
      expect((await visitor.get(PAGE)).text).to.contain('The file list cannot be read');
    }
    chunks = [Buffer.from('no gzip')];
    expect((await visitor.get(PAGE)).text).to.contain('The file list cannot be read');
    chunks = CHUNKS;
    expect((await visitor.get(PAGE)).text).to.contain('host-1.example');
  });
});
