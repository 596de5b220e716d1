/** How the zipper's status client reads the refusals of the real API server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createStatusApi } from '#zipper-image/status/status-api.ts';
import { OWN, type World, type ZipperPod } from './world.ts';

export function describeStatusApi(theWorld: () => World): void {
  let world: World;
  let pod: ZipperPod;
  let uid: string;
  let directory: string;

  before(async () => {
    world = theWorld();
    pod = await world.createZipper(OWN);
    uid = await world.uidOf(OWN, pod.zipJob);
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-status-api-'));
    await writeFile(join(directory, 'token'), pod.token);
    await writeFile(join(directory, 'ca.crt'), world.cluster.apiServer.ca);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  async function apply(change: { uid?: string; name?: string; filesDone?: number } = {}): Promise<unknown> {
    const { filesDone = 1, ...target } = change;
    const api = await createStatusApi({
      server: world.cluster.apiServer.url,
      serviceAccountDir: directory,
      target: { namespace: OWN, name: pod.zipJob, uid, ...target },
      requestTimeoutMs: 10_000,
    });
    const progress = {
      podUid: pod.uid,
      filesTotal: 2,
      filesDone,
      bytesRead: 10,
      bytesUploaded: 5,
      bytesTotal: 20,
      bytesPerSecond: 3,
      estimatedEndAt: '2026-01-01T00:00:09.000Z',
      display: `${filesDone}/2`,
      updatedAt: '2026-01-01T00:00:00Z',
    };
    try {
      return await api.apply({ progress });
    } catch (error) {
      return error;
    } finally {
      await api.close();
    }
  }
  function activePod(podUid: string | null) {
    return world.setStatus(OWN, pod.zipJob, { job: { name: pod.zipJob, uid: 'job-uid', podUid } });
  }

  it('reports superseded when its pod is not active (F12)', async () => {
    expect(await apply()).to.include({ code: 'Superseded', retryable: false, httpStatus: 403 });
    await activePod('another-pod');
    expect(await apply()).to.include({ code: 'Superseded', httpStatus: 403 });
  });

  it('writes every field of progress once its pod is active, and reads the spec from the response', async () => {
    await activePod(pod.uid);
    const response = await apply();
    expect(response).to.have.nested.property('spec.files');
    expect(response).to.have.nested.property('status.progress.bytesPerSecond', 3);
  });

  it('reports superseded when a ZipJob of the same name has another uid (F12)', async () => {
    expect(await apply({ uid: '00000000-0000-4000-8000-000000000000' })).to.include({
      code: 'Superseded',
      retryable: false,
    });
  });

  it('reports superseded when the ZipJob is gone, and creates none (F14)', async () => {
    expect(await apply({ name: 'no-such-job' })).to.include({ code: 'Superseded' });
  });

  it('reports a refusal, which is repeated for a while, when the schema refuses a write (F38)', async () => {
    const refusal = { code: 'ApiServerUnavailable', isRefusal: true, retryable: true, httpStatus: 422 };
    expect(await apply({ filesDone: -1 })).to.include(refusal);
  });

  it('reports superseded when the ZipJob is finished', async () => {
    await world.setStatus(OWN, pod.zipJob, { phase: 'Failed' });
    expect(await apply({ filesDone: 2 })).to.include({ code: 'Superseded', httpStatus: 403 });
  });
}
