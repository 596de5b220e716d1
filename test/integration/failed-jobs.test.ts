/** The result of a job that cannot succeed: a reason, no archive, no upload, one webhook. */

import { expect } from 'chai';
import { bucketResourceName, bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import type { FileOrigin } from '#test/support/servers/file-origin.ts';
import { verifyDelivery, type WebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { applyObjects, type Project } from '#test/support/worlds/project.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

describe('a job that fails', function () {
  this.timeout(240_000);
  let flow: Flow;
  let cluster: Cluster;
  let baseUrl: string;
  let project: Project;
  let origin: FileOrigin;
  let receiver: WebhookReceiver;

  before(async () => {
    flow = await startFlow('failed-jobs', { jobDefaults: { maxAttempts: 1 } });
    ({ cluster, baseUrl, project, origin, receiver } = flow);
  });
  after(() => flow[Symbol.asyncDispose]());

  function validFile(filename: string) {
    return { url: origin.url(`/gen/100000/1`), filename };
  }

  async function failedJob(urls: readonly object[], bucketName = project.bucketName): Promise<ZipJob> {
    const key = `failed-${Math.random().toString(36).slice(2)}.zip`;
    const uuid = await postJob(baseUrl, project.token, {
      bucket_name: bucketName,
      key,
      urls,
      metadata: { a: 1 },
    });
    const job = await project.untilPhase(uuid, ['Succeeded', 'Failed'], 100_000);
    expect(job.status, JSON.stringify(job.status)).to.include({ phase: 'Failed', apiStatus: 'failed' });
    const response = await askApi(baseUrl, { path: `/v1/zips/${uuid}`, token: project.token });
    expect(response.body.data).to.deep.equal({ uuid, status: 'failed', metadata: { a: 1 } });
    const delivery = await receiver.next((one) => one.body.includes(uuid));
    verifyDelivery(delivery, project.webhookSecret);
    expect(JSON.parse(delivery.body)).to.deep.include({
      type: 'FAILED',
      zip_id: uuid,
      status: 'failed',
      key,
      metadata: { a: 1 },
    });
    const read = { path: `/v1/zips/${uuid}?expand=error`, token: project.token };
    const { text } = await askApi(baseUrl, read);
    const { error: ofWebhook } = JSON.parse(delivery.body) as { readonly error: { readonly help: string } };
    expect({ error: ofWebhook }).to.deep.equal({
      error: (JSON.parse(text) as { data: { error: unknown } }).data.error,
    });
    expect(ofWebhook.help).to.match(/\/docs#[A-Za-z]+$/);
    expect(await project.bucket.keys()).to.deep.equal([]);
    expect(await project.bucket.openUploads()).to.deep.equal([]);
    return job;
  }

  it('reports the index of a file whose source returns 404 (H4)', async () => {
    const job = await failedJob([
      validFile('a'),
      validFile('b'),
      { url: origin.url('/status/404'), filename: 'c' },
      validFile('d'),
    ]);
    expect(job.status?.failure).to.include({
      code: 'SourceNotFound',
      fileIndex: 2,
      httpStatus: 404,
      retriable: false,
    });
    expect(job.status?.message).to.match(/\b2\b/).and.contain('404');
    expect(job.status?.attemptsTotal).to.equal(1);
  });

  it('reports a source that disconnects in the middle of its body (D1)', async () => {
    const job = await failedJob([
      validFile('a'),
      // So much is not read again, so there is nothing to wait for.
      { url: origin.url('/die/70000000/80000000/1'), filename: 'b' },
    ]);
    expect(job.status?.failure).to.include({ fileIndex: 1 });
    expect(job.status?.message).to.match(/\b1\b/);
  });

  it('reports a bucket that does not exist at the provider before it reads a source (U17)', async () => {
    const name = bucketResourceName('s3', 'not-there');
    await applyObjects(cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { namespace: project.namespace, name },
        spec: {
          service: 's3',
          bucketName: 'not-there',
          region: cluster.store.region,
          endpoint: cluster.store.endpoint,
        },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: project.namespace, name: bucketSecretName(name) },
        stringData: {
          accessKeyId: cluster.store.accessKeyId,
          secretAccessKey: cluster.store.secretAccessKey,
        },
      },
    ]);
    const requests = origin.requests.length;
    const job = await failedJob([validFile('a')], 'not-there');
    expect(job.status?.failure?.code).to.equal('BucketNotFound');
    expect(origin.requests.length).to.equal(requests);
  });

  it('reports that the ZipBucket was deleted before the job started', async () => {
    const bucketName = 'soon-gone';
    const name = bucketResourceName('s3', bucketName);
    await applyObjects(cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipJob',
        metadata: { namespace: project.namespace, name: 'no-bucket' },
        spec: { bucketRef: { name }, key: 'k', files: [validFile('a')] },
      },
    ]);
    await flow.kubectl('wait', '--for=condition=Failed', 'zipjob/no-bucket', '--timeout=100s');
    const reason = await flow.kubectl('get', 'zipjob', 'no-bucket', '-o', 'jsonpath={.status.reason}');
    expect(reason).to.equal('BucketNotFound');
  });
});
