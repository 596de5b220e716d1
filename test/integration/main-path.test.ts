/** POST -> ZipJob -> Job -> archive -> status -> webhook, on the real control plane. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { GROUP_VERSION } from '#crds/api-group.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { duplicateKeys } from '#test/support/duplicate-keys.ts';
import { RELEASE, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import type { FileOrigin } from '#test/support/servers/file-origin.ts';
import { verifyDelivery, type WebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { applyObjects, type Project } from '#test/support/worlds/project.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
}

/** Must be returned byte for byte: JavaScript and Go would change every field. */
const METADATA = `{ ${[
  // Keys that look like integers, out of order.
  '"2":1,"1":2',
  '"big":12345678901234567890',
  '"float":1.0',
  '"zero":-0',
  '"beyond double":1e400',
  '"lone surrogate":"\\ud800"',
  '"NUL":"\\u0000"',
  '"separator":"\u2028"',
  // 64 with the object itself.
  `"levels":${nested(63)}`,
  '"white space" :\t[ 1 ,\n2 ]',
  '"__proto__":{"a":1}',
  '"constructor":1',
].join(',')} }`;

describe('a job', function () {
  this.timeout(240_000);
  let flow: Flow;
  let cluster: Cluster;
  let kubectl: Flow['kubectl'];
  let baseUrl: string;
  let project: Project;
  let origin: FileOrigin;
  let receiver: WebhookReceiver;

  before(async () => {
    flow = await startFlow('main-path');
    ({ cluster, baseUrl, project, origin, receiver, kubectl } = flow);
  });
  after(() => flow[Symbol.asyncDispose]());

  function get(uuid: string, prefix = '/v1') {
    return askApi(baseUrl, { path: `${prefix}/zips/${uuid}`, token: project.token });
  }
  function post(body: string, prefix = '/v1') {
    return askApi(baseUrl, { method: 'POST', path: `${prefix}/zips`, token: project.token, body });
  }
  function request(key: string, urls: readonly object[], more = ''): string {
    return `${JSON.stringify({ bucket_name: project.bucketName, key, urls }).slice(0, -1)}${more}}`;
  }

  it('runs from POST to archive, status and webhook', async () => {
    const sources = [
      { bytes: 3_000_000, seed: 1, filename: 'первый.bin' },
      { bytes: 0, seed: 2, filename: 'empty' },
      { bytes: 700, seed: 3, filename: 'folder/third.txt' },
    ];
    const files = sources.map(({ bytes, seed, filename }) => ({
      url: origin.url(`/gen/${bytes}/${seed}`),
      filename,
    }));
    const posted = await post(request('main/path.zip', files, ',"metadata":{"order":1.0}'));
    expect(posted.status, posted.text).to.equal(201);
    const uuid = posted.body.data?.uuid ?? '';
    expect(posted.text).to.equal(`{"data":{"uuid":"${uuid}","status":"none","metadata":{"order":1.0}}}`);
    expect(posted.headers.get('location')).to.equal(`/v1/zips/${uuid}`);

    const job = await project.untilPhase(uuid, ['Succeeded', 'Failed']);
    expect(job.status).to.deep.include({ phase: 'Succeeded', apiStatus: 'succeeded', attemptsTotal: 1 });
    expect(job.status?.result).to.include({ entries: 3, retries: 0 });
    expect(job.status?.progress).to.include({ display: '3/3', filesDone: 3 });
    expect((await get(uuid)).text).to.equal(
      `{"data":{"uuid":"${uuid}","status":"succeeded","metadata":{"order":1.0}}}`,
    );

    const entries = await zipEntries(await project.bucket.bytes('main/path.zip'));
    expect(entries.map((entry) => entry.name)).to.deep.equal(files.map((file) => file.filename));
    for (const [index, { bytes, seed }] of sources.entries())
      expect(entries[index]?.content.equals(generatedBytes(bytes, seed)), `entry ${index}`).to.equal(true);
    expect(await project.bucket.openUploads()).to.deep.equal([]);

    const delivery = await receiver.next((one) => one.body.includes(uuid));
    verifyDelivery(delivery, project.webhookSecret);
    expect(delivery.body).to.contain('"metadata":{"order":1.0}');
    expect(JSON.parse(delivery.body)).to.deep.equal({
      type: 'COMPLETED',
      zip_id: uuid,
      status: 'succeeded',
      bucket: { service: 's3', name: project.bucketName },
      key: 'main/path.zip',
      metadata: { order: 1 },
    });
    expect(delivery.headers['webhook-id']).to.match(/^[^.]+$/);
    await until(
      'the delivery to be recorded in the status',
      async () => (await project.zipJob(uuid)).status?.webhook?.state === 'Delivered',
    );
  });

  it('can be created with kubectl and followed with it: columns, wait and events', async () => {
    const { bucketName, namespace } = project;
    const job = {
      apiVersion: GROUP_VERSION,
      kind: 'ZipJob',
      metadata: { namespace, name: 'by-hand' },
      spec: {
        bucketRef: { name: `s3-${bucketName}` },
        key: 'by-hand.zip',
        files: [{ url: origin.url(`/gen/5/1`), filename: 'a' }],
      },
    };
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(job) });
    await kubectl('wait', '--for=condition=Complete', 'zipjob/by-hand', '--timeout=100s');
    expect(await project.bucket.exists('by-hand.zip')).to.equal(true);
    const [header = '', row = ''] = (await kubectl('get', 'zj', 'by-hand')).split('\n');
    expect(header.trim().split(/\s{2,}/)).to.deep.equal([
      'NAME',
      'KEY',
      'PHASE',
      'REASON',
      'PROGRESS',
      'FILES',
      'SIZE',
      'DURATION',
      'AGE',
    ]);
    expect(row).to.match(
      new RegExp(
        `^by-hand\\s+by-hand\\.zip\\s+Succeeded\\s+Uploaded\\s+100%\\s+1/1\\s+\\d+ B\\s+(?:\\d+m)?\\d+s\\s`,
      ),
    );
    // Events are recorded asynchronously.
    await until('all events', async () => {
      const text = await kubectl('describe', 'zipjob', 'by-hand');
      return ['JobCreated', 'PodActive', 'Uploaded'].every((reason) => text.includes(reason));
    });
    expect(await kubectl('get', 'zip')).to.contain('by-hand');
  });

  it('keeps the order of the request, even with a slow first file (Z9)', async () => {
    const urls = [
      { url: origin.url('/drip/100000/200/200000/1'), filename: 'slow' },
      ...Array.from({ length: 40 }, (_, index) => ({
        url: origin.url(`/gen/${1_000 + index}/${index}`),
        filename: `f${index}`,
      })),
    ];
    const uuid = await flow.post(urls);
    const job = await project.untilPhase(uuid, ['Succeeded', 'Failed']);
    expect(job.status?.phase).to.equal('Succeeded');
    const entries = await zipEntries(await project.bucket.bytes(job.spec.key));
    expect(entries.map((entry) => entry.name)).to.deep.equal(urls.map((file) => file.filename));
  });

  it('reports the states none, processing and succeeded in this order (H6)', async () => {
    const held = flow.hold();
    const uuid = await flow.post([{ url: held.url, filename: 'a' }]);
    const seen: string[] = [];
    await until(
      'the job to succeed',
      async () => {
        const status = (await get(uuid)).body.data?.status ?? '';
        if (seen.at(-1) !== status) seen.push(status);
        if (status === 'processing') held.release();
        return status === 'succeeded';
      },
      { intervalMs: 20 },
    );
    expect(seen).to.deep.equal(['none', 'processing', 'succeeded']);
  });

  it('is available under both spellings of the path, with metadata {} if the request contains none', async () => {
    const posted = await post(
      request('spelling.zip', [{ url: origin.url(`/gen/1/1`), filename: 'a' }]),
      '/api/v1',
    );
    expect(posted.text).to.contain('"metadata":{}');
    const uuid = posted.body.data?.uuid ?? '';
    expect(posted.headers.get('location')).to.equal(`/api/v1/zips/${uuid}`);
    expect((await get(uuid)).status).to.equal(200);
    expect((await get(uuid, '/api/v1')).status).to.equal(200);
  });

  it('returns metadata byte for byte in POST, GET and webhook (T21)', async () => {
    const url = origin.url(`/gen/1/1`);
    const posted = await post(request('metadata.zip', [{ url, filename: 'a' }], `,"metadata": ${METADATA} `));
    expect(posted.status, posted.text).to.equal(201);
    const uuid = posted.body.data?.uuid ?? '';
    expect(posted.text).to.equal(`{"data":{"uuid":"${uuid}","status":"none","metadata":${METADATA}}}`);
    const delivery = await receiver.next((one) => one.body.includes(uuid));
    expect(delivery.body).to.contain(`"metadata":${METADATA}`);
    expect((await get(uuid)).text).to.equal(
      `{"data":{"uuid":"${uuid}","status":"succeeded","metadata":${METADATA}}}`,
    );
  });

  it('keeps signed URLs and keys out of kubectl output, logs and responses (P8, H9)', async () => {
    const canary = 'cAnArY42';
    function signed(path: string): string {
      return `${origin.url(path)}?X-Amz-Signature=${canary}`;
    }
    const good = await flow.post([{ url: signed('/gen/5/1'), filename: 'a' }]);
    const bad = await flow.post([{ url: signed('/status/404'), filename: 'a' }]);
    const refused = await post(request('refused.zip', [{ url: `ftp://x/?sig=${canary}`, filename: 'a' }]));
    await project.untilPhase(good, ['Succeeded']);
    await project.untilPhase(bad, ['Failed']);
    const reported = new Map([['the response to an invalid request', refused.text]]);
    for (const uuid of [good, bad]) {
      reported.set(
        `the ZipJob ${uuid}`,
        (await get(`${uuid}?expand=progress,error,archive,bucket,webhook,job`)).text,
      );
      reported.set(`the log of ${uuid}`, await kubectl('logs', `job/zip-${uuid}`));
    }
    for (const kind of ['zipjobs', 'jobs', 'pods', 'events'])
      reported.set(kind, await kubectl('get', kind, '-o', 'yaml'));
    for (const component of ['api', 'controller'])
      reported.set(
        `the log of the ${component}`,
        await kubectl('logs', '-n', RELEASE_NAMESPACE, `deployment/${RELEASE}-${component}`),
      );
    const secrets = [canary, project.token, project.webhookSecret, cluster.store.secretAccessKey];
    for (const [where, text] of reported) {
      expect(text, where).not.to.equal('');
      for (const secret of secrets) expect(text, where).not.to.contain(secret);
    }
  });

  it('waits while it is suspended, and can be cancelled (H6)', async () => {
    await applyObjects(cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipJob',
        metadata: { namespace: project.namespace, name: 'suspended' },
        spec: {
          bucketRef: { name: `s3-${project.bucketName}` },
          key: 'suspended.zip',
          suspend: true,
          files: [{ url: origin.url(`/gen/5/1`), filename: 'a' }],
        },
      },
    ]);
    await kubectl('wait', '--for=condition=Suspended', 'zipjob/suspended', '--timeout=60s');
    await kubectl('patch', 'zipjob', 'suspended', '--type=merge', '-p', '{"spec":{"cancel":true}}');
    await kubectl('wait', '--for=jsonpath={.status.phase}=Cancelled', 'zipjob/suspended', '--timeout=60s');
    expect(await project.bucket.exists('suspended.zip')).to.equal(false);
  });

  it('writes no log line with two equal keys, in any process (Q-C16)', () => {
    const lines = globSync('pods/*/*.log', { cwd: cluster.dir })
      .flatMap((log) => readFileSync(join(cluster.dir, log), 'utf8').split('\n'))
      .filter((line) => line.startsWith('{'));
    const processes = new Set(lines.map((line) => (JSON.parse(line) as { process?: string }).process));
    expect([...processes]).to.include.members(['zipjobs-api', 'zipjobs-controller', 'zipper']);
    const repeated = lines.filter((line) => duplicateKeys(line).length > 0);
    // The logger would rename the field of a call that repeats one.
    const renamed = lines.filter((line) => /[{,]"field[A-Z]/.test(line));
    expect([repeated, renamed]).to.deep.equal([[], []]);
  });
});
