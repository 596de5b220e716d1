import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { type StatusServer, startStatusServer } from '#test/support/servers/status-server.ts';
import { type CheckpointApi, createCheckpointApi } from '#zipper-image/status/checkpoint-api.ts';
import { StatusError } from '#zipper-image/status/status-error.ts';

const STATUS: ZipCheckpointStatus = {
  sequence: 3,
  uploadId: 'upload-1',
  owner: 'pod-1',
  plan: 'ab'.repeat(32),
  records: 'AQAAAAAAAAA=',
};
const TARGET = { namespace: 'shop', name: 'zip-1', uid: 'uid-1' };
const NOT_FOUND = { kind: 'zipcheckpoints', name: 'zip-1' };

describe('createCheckpointApi', () => {
  let directory: string;
  let server: StatusServer;
  let api: CheckpointApi;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-checkpoint-api-'));
    await writeFile(join(directory, 'ca.crt'), PRIVATE_TLS.authority);
    await writeFile(join(directory, 'token'), 'token-1\n');
    server = await startStatusServer(PRIVATE_TLS);
    server.spec = { zipJobUid: 'uid-1', activePodUid: 'pod-1' };
    const options = { server: server.url, serviceAccountDir: directory, target: TARGET };
    api = await createCheckpointApi({ ...options, requestTimeoutMs: 10_000 });
  });
  afterEach(async () => {
    await api.close();
    await server[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  async function faultOf(request: Promise<unknown>): Promise<StatusError> {
    const error: unknown = await request.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error instanceof StatusError) return error;
    throw new Error('the request did not fail with a StatusError', { cause: error });
  }

  it('sends nothing before the first request', () => {
    expect(server.writes).to.deep.equal([]);
  });

  it('reads with a patch that changes nothing', async () => {
    server.shown = { ...STATUS };
    expect(await api.read()).to.deep.equal(STATUS);
    const [{ url, headers, status } = { url: '', headers: {} }] = server.writes;
    expect(url).to.equal(
      '/apis/zipjobs.dev/v1alpha1/namespaces/shop/zipcheckpoints/zip-1/status?fieldManager=zipjobs-zipper',
    );
    expect(headers).to.include({
      authorization: 'Bearer token-1',
      'content-type': 'application/merge-patch+json',
      accept: 'application/json',
    });
    expect(status).to.equal(undefined);
  });

  it('reads nothing if there is no checkpoint yet, or no object', async () => {
    server.respond = () => ({ status: 404, message: 'not found', details: NOT_FOUND });
    expect(await api.read()).to.equal(undefined);
  });

  it('writes all fields, and asks for a response without them', async () => {
    await api.write(STATUS);
    const [write] = server.writes;
    expect(write?.status).to.deep.equal(STATUS);
    expect(write?.headers['accept']).to.contain('as=PartialObjectMetadata');
  });

  it('reads the token before each request', async () => {
    await api.write(STATUS);
    await writeFile(join(directory, 'token'), 'token-2\n');
    await api.write({ ...STATUS, sequence: 4 });
    expect(server.writes.map(({ headers }) => headers['authorization'])).to.deep.equal([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it('is superseded if another pod is active, or the object belongs to another ZipJob', async () => {
    server.shown = { ...STATUS };
    server.spec = { zipJobUid: 'uid-2', activePodUid: 'pod-1' };
    expect(await faultOf(api.read())).to.include({ code: 'Superseded', retryable: false });
    const message = 'this pod is not the active pod of the ZipCheckpoint [zipjobs.dev/not-active]';
    server.respond = () => ({ status: 403, message });
    for (const request of [() => api.read(), () => api.write(STATUS)])
      expect(await faultOf(request())).to.include({ code: 'Superseded', httpStatus: 403 });
  });

  it('distinguishes an object that is gone from a definition that is being replaced', async () => {
    server.respond = () => ({ status: 404, message: 'not found', details: NOT_FOUND });
    expect(await faultOf(api.write(STATUS))).to.include({ code: 'ApiServerUnavailable', isGone: true });
    server.respond = () => ({ status: 404, message: 'page not found' });
    for (const request of [() => api.read(), () => api.write(STATUS)])
      expect(await faultOf(request())).to.include({ isGone: false, isRefusal: true, httpStatus: 404 });
  });

  it('reports a refusal, and an API server that is away, without secrets', async () => {
    server.respond = () => ({ status: 422, message: 'wrong: https://a.test/b?X-Amz-Signature=secret' });
    const refusal = await faultOf(api.write(STATUS));
    expect(refusal).to.include({ code: 'ApiServerUnavailable', isRefusal: true, isOfContent: true });
    expect(refusal.message).to.not.contain('secret');
    server.respond = () => ({ status: 503, message: 'later' });
    expect(await faultOf(api.write(STATUS))).to.include({ isRefusal: false, httpStatus: 503 });
    await server[Symbol.asyncDispose]();
    expect(await faultOf(api.write(STATUS))).to.include({ code: 'ApiServerUnavailable', retryable: true });
  });

  it('reports a response that is not a checkpoint', async () => {
    server.shown = { sequence: 1 };
    expect(await faultOf(api.read())).to.include({ code: 'Internal', retryable: false });
  });

  it('ends with the reason of the caller', async () => {
    const reason = new Error('stopped');
    const signal = AbortSignal.abort(reason);
    expect(await api.write(STATUS, signal).catch((error: unknown) => error)).to.equal(reason);
  });
});
