import { expect } from 'chai';
import { allEntries, bodies, JobHarness, stuckEntries, task } from './job-harness.ts';

describe('zipToS3 whose status writes fail', () => {
  let harness: JobHarness;

  beforeEach(async () => {
    harness = await JobHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it('fails if its pod does not become active in time', async () => {
    harness.server.respond = () => ({ status: 403, message: 'not active' });
    const error = await harness.failing(allEntries, { task: { ...task, startDeadlineSeconds: 0.05 } });
    expect(error).to.include({ code: 'NotActive' });
    expect(harness.hostile.requests.length).to.equal(0);
  });

  it('recognises a policy refusal that is reported as 422', async () => {
    harness.server.respond = () => ({
      status: 422,
      message:
        "zipjobs.dev \"zip-1\" is forbidden: ValidatingAdmissionPolicy 'x' with binding 'x' denied request: no",
    });
    expect(await harness.failing(allEntries, { task: { ...task, startDeadlineSeconds: 0 } })).to.include({
      code: 'NotActive',
    });
  });

  it('fails if the response of the API server is not a ZipJob', async () => {
    harness.server.spec = undefined;
    expect(await harness.failing()).to.include({ code: 'Internal' });
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  for (const state of ['open', 'committing'] as const)
    it(`leaves no upload and no object if another pod becomes active before ${state} (F12)`, async () => {
      harness.server.respond = ({ status }) => (status.upload?.state === state ? { status: 403 } : undefined);
      expect(await harness.failing()).to.include({ code: 'Superseded' });
      expect(harness.leftovers).to.deep.equal([0, 0]);
      expect(harness.server.writes.some(({ status }) => status.failure !== undefined)).to.equal(false);
      expect(harness.hostile.requests.some(({ operation }) => operation === 'complete')).to.equal(false);
    });

  it('succeeds if its result is refused: a lost response may have finished the job (F34)', async () => {
    let tries = 0;
    harness.server.respond = ({ status }) => {
      if (status.result === undefined) return undefined;
      tries += 1;
      return tries === 1
        ? { status: 503, message: 'away' }
        : { status: 403, message: 'the ZipJob is finished' };
    };
    expect(await harness.run()).to.include({ entries: bodies.length });
    expect(tries).to.equal(2);
    expect(harness.hostile.objects.size).to.equal(1);
  });

  it('stops if a progress write is refused', async () => {
    const superseded = Promise.withResolvers<void>();
    harness.server.respond = ({ status }) => {
      if (status.upload === undefined || (status.progress?.filesDone ?? 0) === 0) return undefined;
      superseded.resolve();
      return { status: 403 };
    };
    expect(await harness.failing(stuckEntries)).to.include({ code: 'Superseded' });
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  it('continues if progress cannot be written, and retries required writes (F5)', async () => {
    let failed = 0;
    harness.server.respond = ({ status }) => {
      if (status.upload === undefined || failed >= 5) return undefined;
      failed += 1;
      return { status: failed % 2 === 0 ? 429 : 500, message: 'away' };
    };
    await harness.run();
    expect(harness.hostile.objects.size).to.equal(1);
  });
});
