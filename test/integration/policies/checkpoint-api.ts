/** How the zipper's checkpoints get to the real API server, and what its refusals mean. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import { createLogger } from '#runtime/log/log.ts';
import { largeRecords } from '#test/support/builders/large-records.ts';
import { until } from '#test/support/until.ts';
import { createCheckpointWriter } from '#zipper-image/resume/checkpoint-writer.ts';
import { decodeRecords, encodeRecords } from '#zipper-image/resume/document.ts';
import { type CheckpointApi, createCheckpointApi } from '#zipper-image/status/checkpoint-api.ts';
import { accept, OWN, type World, type ZipperPod, zipPath } from './world.ts';

const UPLOAD = { uploadId: 'upload-1', owner: 'pod-1', plan: 'ab'.repeat(32) };

export function describeCheckpointApi(theWorld: () => World): void {
  let world: World;
  let pod: ZipperPod;
  let uid: string;
  let directory: string;
  let api: CheckpointApi;

  function openApi(change: { uid?: string; name?: string } = {}): Promise<CheckpointApi> {
    return createCheckpointApi({
      server: world.cluster.apiServer.url,
      serviceAccountDir: directory,
      target: { namespace: OWN, name: pod.zipJob, uid, ...change },
      requestTimeoutMs: 30_000,
    });
  }
  async function activate(activePodUid: string): Promise<void> {
    const path = `${zipPath(OWN, 'zipcheckpoints')}/${pod.zipJob}`;
    accept(await world.admin.request('PATCH', path, { body: { spec: { activePodUid } } }));
  }
  function statusOf(sequence: number, records = 'AAAA'): ZipCheckpointStatus {
    return { sequence, ...UPLOAD, records };
  }
  function outcomeOf(request: Promise<unknown>): Promise<unknown> {
    return request.catch((error: unknown) => error);
  }

  before(async () => {
    world = theWorld();
    pod = await world.createZipper(OWN);
    uid = await world.uidOf(OWN, pod.zipJob);
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-checkpoint-api-'));
    await writeFile(join(directory, 'token'), pod.token);
    await writeFile(join(directory, 'ca.crt'), world.cluster.apiServer.ca);
    api = await openApi();
    expect(await api.read(), 'a checkpoint without an object').to.equal(undefined);
    const body = {
      apiVersion: GROUP_VERSION,
      kind: 'ZipCheckpoint',
      metadata: { name: pod.zipJob },
      spec: { zipJobUid: uid, activePodUid: pod.uid },
    };
    accept(await world.admin.request('POST', zipPath(OWN, 'zipcheckpoints'), { body }));
  });
  after(async () => {
    await api.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('writes the largest checkpoint, and reads it again', async () => {
    expect(await api.read()).to.equal(undefined);
    const records = largeRecords({ sha256: true });
    const status = statusOf(1, await encodeRecords(records));
    await api.write(status);
    const read = await api.read();
    expect(read).to.deep.equal(status);
    expect(decodeRecords(read?.records ?? '')).to.deep.equal(records);
  });

  it('continues the sequence that it did not know', async () => {
    await api.write(statusOf(9));
    let parts = 1;
    const writer = createCheckpointWriter({
      api,
      settings: { checkpointIntervalMs: 200 },
      log: createLogger('test', { level: 'silent' }),
      upload: UPLOAD,
      partsConfirmed: () => parts,
      records: () => ({ files: [], parts: [] }),
    });
    try {
      writer.follow({ checkpointed: true });
      await until('a checkpoint', () => writer.sequence !== undefined);
      expect(writer).to.include({ sequence: 10, failures: 1 });
      parts += 1;
      expect(await writer.writeLast(20_000)).to.equal(true);
      expect(await api.read()).to.include({ sequence: writer.sequence });
    } finally {
      await writer.stop();
    }
  });

  it('is superseded once another pod is active, for reads and for writes (F12)', async () => {
    await activate('another-pod');
    for (const request of [() => api.read(), () => api.write(statusOf(100))])
      expect(await outcomeOf(request())).to.include({ code: 'Superseded', httpStatus: 403 });
    await activate(pod.uid);
  });

  it('is superseded if the object belongs to another ZipJob of the same name (F12)', async () => {
    const other = await openApi({ uid: '00000000-0000-4000-8000-000000000000' });
    expect(await outcomeOf(other.read())).to.include({ code: 'Superseded' });
    await other.close();
  });

  it('reports that there is no object, and creates none (F14)', async () => {
    const other = await openApi({ name: 'no-such-job' });
    expect(await other.read()).to.equal(undefined);
    expect(await outcomeOf(other.write(statusOf(1)))).to.include({ isGone: true, httpStatus: 404 });
    await other.close();
  });

  it('reports a refusal when the schema refuses a write (F38)', async () => {
    const refusal = { code: 'ApiServerUnavailable', isRefusal: true, isOfContent: true, httpStatus: 422 };
    expect(await outcomeOf(api.write(statusOf(-1)))).to.include(refusal);
  });
}
