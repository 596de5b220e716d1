/** Manifests that other programs verify, from the POST to the unpacked archive. */
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { bucketResourceName, GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { AWKWARD_NAMES, NOT_IN_BAGS } from '#test/support/archives/awkward-names.ts';
import { unpack } from '#test/support/archives/unpack.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { until } from '#test/support/until.ts';
import { type Flow, type FlowSource, startFlow } from '#test/support/worlds/flow.ts';
import { applyObjects } from '#test/support/worlds/project.ts';

const CHECKSUMS = 'manifest-sha256.txt';

describe('manifests for other programs', function () {
  this.timeout(240_000);
  const started = new AsyncDisposableStack();
  let flow: Flow;
  before(async function () {
    await requirePrograms(this, ['unzip', 'sha256sum']);
    flow = started.use(await startFlow('manifests', { jobDefaults: { manifestFormat: 'sha256sum' } }));
  });
  after(() => started.disposeAsync());

  function sources(names: readonly string[]): FlowSource[] {
    return names.map((filename, n) => ({
      url: flow.origin.url(`/gen/${n === 0 ? 0 : 300 + n}/${n}`),
      filename,
    }));
  }
  async function archiveOf(urls: readonly FlowSource[], options: object): Promise<Buffer> {
    const uuid = await flow.post(urls, options);
    const { spec, status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded' });
    return flow.project.bucket.bytes(spec.key);
  }

  it('are verified by sha256sum, with awkward names and without the skipped files', async () => {
    const names = [...AWKWARD_NAMES, ...NOT_IN_BAGS];
    const missing = { url: flow.origin.url('/status/404'), filename: 'missing' };
    const large = { url: flow.origin.url('/gen/3000000/7'), filename: 'large' };
    const archive = await archiveOf([...sources(names), missing, large], { on_source_error: 'skip' });
    await using files = await unpack(archive);
    await files.verify(CHECKSUMS);
    const list = await readFile(join(files.directory, CHECKSUMS), 'utf8');
    expect(list.trimEnd().split('\n')).to.have.length(names.length + 1);
    await appendFile(join(files.directory, 'large'), 'x');
    const failed = await files.verify(CHECKSUMS).catch((error: unknown) => String(error));
    expect(failed).to.match(/large: FAILED/);
  });

  it('make a bag, whose name is that of the key', async () => {
    const missing = { url: flow.origin.url('/status/404'), filename: 'missing' };
    const options = { manifest: 'bagit', on_source_error: 'placeholder', key: 'reports/2026/Q1: all.zip' };
    await using files = await unpack(await archiveOf([...sources(AWKWARD_NAMES), missing], options));
    const bag = 'Q1_ all';
    expect(await readdir(files.directory)).to.deep.equal([bag]);
    await files.verify(CHECKSUMS, bag);
    await files.verify('tagmanifest-sha256.txt', bag);
    const list = await readFile(join(files.directory, bag, CHECKSUMS), 'utf8');
    expect(list).to.contain('  data/missing.error.txt\n');
    expect(list.trimEnd().split('\n')).to.have.length(AWKWARD_NAMES.length + 1);
  });

  it('have the format of the request rather than that of the project', async () => {
    const archive = await archiveOf(sources(['a', 'b']), { manifest: 'json' });
    expect((await zipEntries(archive)).map(({ name }) => name)).to.deep.equal(['a', 'b', 'manifest.json']);
  });

  it('are refused beside a file with their name, in a request and in a ZipJob (C8)', async () => {
    const { baseUrl, project } = flow;
    const bucket_name = project.bucketName;
    for (const [filename, options] of [
      [CHECKSUMS, {}],
      [`${CHECKSUMS}/foo`, { manifest: 'sha256sum' }],
      ['Manifest.JSON', { manifest: 'json', portable_names: 'refuse' }],
    ] as const) {
      const body = { bucket_name, key: 'refused.zip', urls: sources(['a', filename]), ...options };
      const request = { method: 'POST', path: '/v1/zips', token: project.token, body: JSON.stringify(body) };
      const refused = await askApi(baseUrl, request);
      expect(refused.status, filename).to.equal(422);
      expect(refused.body.error).to.include({ code: 'parameter_invalid', param: 'urls' });
      expect(refused.body.error?.message).to.contain(
        'urls[1].filename conflicts with the name of the manifest',
      );
    }
    const { namespace } = project;
    const spec = {
      bucketRef: { name: bucketResourceName('s3', bucket_name) },
      key: 'direct.zip',
      files: sources(['a', CHECKSUMS]),
      manifestFormat: 'sha256sum',
    };
    const job = { apiVersion: GROUP_VERSION, kind: 'ZipJob', metadata: { namespace, name: 'direct' }, spec };
    await applyObjects(flow.cluster, [job]);
    const path = `/apis/${GROUP_VERSION}/namespaces/${namespace}/zipjobs/direct`;
    const { status } = await until('the ZipJob to fail', async () => {
      const read: ZipJob = await flow.cluster.read(path);
      return read.status?.phase === 'Failed' && read;
    });
    expect(status).to.include({ reason: 'InvalidTask' });
    expect(status?.failure).to.include({ code: 'InvalidTask', fileIndex: 1 });
  });
});
