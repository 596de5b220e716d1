/** The options of a request, from the POST to the archive. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import yauzl from 'yauzl';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { type ApiResponse, askApi } from '#test/support/clients/api-client.ts';
import { RELEASE, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const MODIFIED = '2026-01-31T12:00:00Z';

describe('the options of a request', function () {
  this.timeout(240_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow('options', { jobDefaults: { portableNames: 'keep' } });
  });
  after(() => flow[Symbol.asyncDispose]());

  async function finished(uuid: string) {
    const { spec, status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
    return { spec, status };
  }
  function askToCreate(options: object): Promise<ApiResponse> {
    const urls = [{ url: flow.origin.url('/gen/700/1'), filename: 'a' }];
    const request = { bucket_name: flow.project.bucketName, key: 'refused.zip', urls, ...options };
    const { token } = flow.project;
    return askApi(flow.baseUrl, { method: 'POST', path: '/v1/zips', token, body: JSON.stringify(request) });
  }

  it('reach the archive', async () => {
    const { origin, project } = flow;
    const uuid = await flow.post(
      [
        { url: origin.url('/gen/700/1'), filename: 'what?' },
        { url: origin.url('/status/404'), filename: 'missing' },
        { url: origin.url('/gen/800/2'), filename: 'last' },
      ],
      {
        on_source_error: 'skip',
        compression: 'deflate',
        on_conflict: 'fail',
        sha256: true,
        manifest: 'json',
        portable_names: 'rewrite',
        modification_time: MODIFIED,
      },
    );
    const { spec, status } = await finished(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded' });
    const archive = await project.bucket.bytes(spec.key);
    const sha256 = createHash('sha256').update(archive).digest('hex');
    expect(status?.result).to.deep.include({ entries: 3, skipped: [1], sha256 });
    const names = (await zipEntries(archive)).map(({ name }) => name);
    expect(names).to.have.length(3);
    expect(names[0]).to.match(/^what[^?]/);
    expect(names.slice(1)).to.deep.equal(['last', 'manifest.json']);
    const methods: number[] = [];
    const zip = await yauzl.fromBufferPromise(archive, { lazyEntries: true });
    for await (const entry of zip.eachEntry()) {
      expect(entry.getLastModDate({ timezone: 'UTC' }).toISOString()).to.equal('2026-01-31T12:00:00.000Z');
      methods.push(entry.compressionMethod);
    }
    // Only the manifest is smaller when it is compressed.
    expect(methods).to.deep.equal([0, 0, 8]);
  });

  it('rename files of the same name, and the response says how (FD21)', async () => {
    const { origin, project, baseUrl } = flow;
    const urls = ['a.jpg', 'a.jpg', 'a', 'a/b', 'a.jpg'].map((filename, n) => ({
      url: origin.url(`/gen/${700 + n}/1`),
      filename,
    }));
    const uuid = await flow.post(urls, { duplicate_names: 'rename', key: 'renamed.zip' });
    const { spec, status } = await finished(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded' });
    const entries = await zipEntries(await project.bucket.bytes(spec.key));
    expect(entries.map(({ name }) => name)).to.deep.equal([
      'a.jpg',
      'a (2).jpg',
      'a (2)',
      'a/b',
      'a (3).jpg',
    ]);
    const read = { path: `/v1/zips/${uuid}?expand=archive`, token: project.token };
    const { text } = await askApi(baseUrl, read);
    expect((JSON.parse(text) as { data: { archive: object } }).data.archive).to.deep.include({
      renamed: [
        { file_index: 1, name: 'a (2).jpg' },
        { file_index: 2, name: 'a (2)' },
        { file_index: 4, name: 'a (3).jpg' },
      ],
      renamed_total: 3,
    });
  });

  it('become headers, metadata and tags of the object (C1)', async () => {
    const key = 'described.zip';
    const object = {
      content_disposition: 'attachment; filename="a.zip"',
      content_type: 'application/x-zip-compressed',
      cache_control: 'no-store',
      storage_class: 'STANDARD',
      metadata: { department: 'sales' },
      tags: { retention: '30 days' },
    };
    const source = [{ url: flow.origin.url('/gen/700/1'), filename: 'a' }];
    const { status } = await finished(await flow.post(source, { key, object }));
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded' });
    const { head, tags } = await flow.project.bucket.describe(key);
    expect(head).to.include({
      ContentDisposition: object.content_disposition,
      ContentType: object.content_type,
      CacheControl: object.cache_control,
    });
    expect(head.Metadata).to.deep.equal({
      department: 'sales',
      'zip-attempt': status?.attempts?.[0]?.podUid,
    });
    expect(tags).to.deep.equal([{ Key: 'retention', Value: '30 days' }]);
    const refused = await askToCreate({ object: { metadata: { 'zip-attempt': 'x' } } });
    expect(refused.status).to.equal(422);
    expect(refused.body.error).to.include({ code: 'parameter_invalid', param: 'object' });
  });

  it('keep an object that exists at the key', async () => {
    const key = 'kept.zip';
    await flow.project.bucket.put(key, Buffer.from('older'));
    const source = [{ url: flow.origin.url('/gen/700/1'), filename: 'a' }];
    const { status } = await finished(await flow.post(source, { key, on_conflict: 'fail' }));
    expect(status).to.include({ phase: 'Failed', reason: 'ObjectExists' });
    expect((await flow.project.bucket.bytes(key)).toString()).to.equal('older');
  });

  it('request sources one after another, each once (C6)', async () => {
    const { origin } = flow;
    const held = flow.hold();
    const sources = [held.url, ...[1, 2, 3].map((n) => origin.url(`/gen/9000/${n}`))];
    const urls = sources.map((url, n) => ({ url, filename: `f${n}` }));
    const paths = urls.map(({ url }) => new URL(url).pathname);
    function asked(): readonly string[] {
      return origin.requests
        .map(({ path }) => new URL(path, 'http://origin').pathname)
        .filter((path) => paths.includes(path));
    }
    const before = asked().length;
    const uuid = await flow.post(urls, { sequential: true });
    // The progress shows that the zipper reads the first source, and has had the time to request others.
    await until('the first source to be read', async () => {
      const { status } = await flow.project.zipJob(uuid);
      return (status?.progress?.bytesRead ?? 0) > 1_500_000;
    });
    expect(asked().slice(before)).to.deep.equal(paths.slice(0, 1));
    held.release();
    const { status } = await finished(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded' });
    expect(asked().slice(before)).to.deep.equal(paths);
  });

  it('are joined by files in data: URLs, whose content is shown nowhere (C5)', async () => {
    const content = 'cAnArY43';
    const shapes = [content, Buffer.from(content).toString('base64').replace(/=+$/, '')];
    function inline(type: string) {
      return `data:${type};base64,${Buffer.from(content).toString('base64')}`;
    }
    const files = [
      { url: inline('text/plain'), filename: 'note.txt' },
      { url: flow.origin.url('/gen/700/1'), filename: 'a' },
    ];
    const uuid = await flow.post(files, { key: 'inline.zip' });
    const { status } = await finished(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded' });
    const [note] = await zipEntries(await flow.project.bucket.bytes('inline.zip'));
    expect(note?.content.toString()).to.equal(content);
    const failing = await flow.post([files[0]!, { url: flow.origin.url('/status/404'), filename: 'a' }]);
    await finished(failing);
    const refused = await askToCreate({ urls: [{ url: inline('text plain'), filename: 'a' }] });
    expect(refused.status).to.equal(422);
    const { token } = flow.project;
    const path = `/v1/zips/${failing}?expand=progress,error,archive,bucket,webhook,job`;
    const shown = new Map([
      ['the refusal', refused.text],
      ['the failed job', (await askApi(flow.baseUrl, { path, token })).text],
      ['the webhooks', JSON.stringify(flow.receiver.deliveries)],
    ]);
    for (const kind of ['zipjobs', 'jobs', 'pods', 'events'])
      shown.set(kind, await flow.kubectl('get', kind, '-o', 'yaml'));
    for (const id of [uuid, failing])
      shown.set(`the log of ${id}`, await flow.kubectl('logs', `job/zip-${id}`));
    for (const component of ['api', 'controller'])
      shown.set(
        `the log of the ${component}`,
        await flow.kubectl('logs', '-n', RELEASE_NAMESPACE, `deployment/${RELEASE}-${component}`),
      );
    for (const [where, text] of shown) {
      expect(text, where).not.to.equal('');
      for (const shape of shapes) expect(text, where).not.to.contain(shape);
    }
  });

  it('are refused if the project is stricter or closes them (C2, C3)', async () => {
    const spec = {
      jobDefaults: { portableNames: 'refuse', onConflict: 'fail' },
      callerOptions: { closed: ['compression'] },
    };
    await flow.kubectl('patch', 'zipproject', 'project', '--type=merge', '-p', JSON.stringify({ spec }));
    const refused = await until('the API to know the options of the project', async () => {
      const response = await askToCreate({ compression: 'auto', bucket_name: 'missing' });
      return response.status === 422 && response;
    });
    expect(refused.body.error).to.include({ code: 'parameter_invalid', param: 'compression' });
    expect(refused.body.error?.message).to.contain('the project has closed this option');
    for (const options of [{ on_conflict: 'replace' }, { portable_names: 'keep' }]) {
      const response = await askToCreate(options);
      expect(response.status).to.equal(422);
      expect(response.body.error).to.include({ code: 'parameter_invalid', param: Object.keys(options)[0] });
    }
  });
});
