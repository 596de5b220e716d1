import { expect } from 'chai';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import { until } from '#test/support/until.ts';
import { allEntries, bodies, JobHarness, settings, stuckEntries, task } from './job-harness.ts';

/** As the policy of the chart refuses a pod that is not active. */
const notActive = {
  status: 403,
  message: `zipjobs.dev "zip-1" is forbidden: ValidatingAdmissionPolicy 'x' with binding 'x' denied request: [${POLICY_MARKS.notActive}] no`,
};
/** Refusals that say nothing about the active pod. */
const REFUSALS = {
  'by an API server whose permissions are not loaded yet': {
    status: 403,
    message:
      'zipjobs.zipjobs.dev "zip-1" is forbidden: User "u" cannot patch resource "zipjobs/status": RBAC: not found',
  },
  'by a policy that cannot be evaluated yet': {
    status: 422,
    message: "ValidatingAdmissionPolicy 'other' with binding 'b' denied request: not yet",
  },
  'while the definition is being replaced': {
    status: 404,
    message: 'the server could not find the requested resource',
  },
  'by a conflict whose text contains uid': {
    status: 409,
    message: 'Apply failed with 1 conflict: conflict with "druid-export": .status.progress',
  },
  'by an API server that cannot check tokens yet': { status: 401, message: 'Unauthorized' },
  'by an API server that does not know a field': { status: 400, message: 'field not declared in schema' },
} as const;

describe('zipToS3 whose status writes fail', () => {
  let harness: JobHarness;

  beforeEach(async () => {
    harness = await JobHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it('fails if its pod does not become active in time', async () => {
    harness.server.respond = () => notActive;
    const error = await harness.failing(allEntries, { task: { ...task, startDeadlineSeconds: 0.05 } });
    expect(error).to.include({ code: 'NotActive' });
    expect(harness.hostile.requests.length).to.equal(0);
  });

  it('recognises the refusal of an older policy, without a mark, before it is active (F38)', async () => {
    harness.server.respond = () => ({
      ...notActive,
      message: 'this pod is not the active pod of the ZipJob',
    });
    expect(await harness.failing(allEntries, { task: { ...task, startDeadlineSeconds: 0 } })).to.include({
      code: 'NotActive',
    });
  });

  for (const [what, refusal] of Object.entries(REFUSALS))
    for (const state of ['open', 'committing'] as const)
      it(`repeats the write of ${state} after a refusal ${what} (F38)`, async () => {
        let refusals = 0;
        harness.server.respond = ({ status }) => {
          if (status.upload?.state !== state || refusals === 2) return undefined;
          refusals += 1;
          return refusal;
        };
        expect(await harness.run()).to.include({ entries: bodies.length });
        expect(harness.hostile.objects.size).to.equal(1);
      });

  for (const what of [
    'by a policy that cannot be evaluated yet',
    'by an API server that cannot check tokens yet',
  ] as const)
    it(`ends when every write is refused for too long ${what}, also without a mark (F38)`, async () => {
      harness.server.respond = ({ status }) =>
        status.upload?.state === 'committing' ? REFUSALS[what] : undefined;
      const error = await harness.failing();
      expect(error).to.include({ code: 'Superseded' });
      expect(error.message).to.match(/has refused it for \d+ s$/);
      expect(harness.leftovers).to.deep.equal([0, 0]);
    });

  it('ends as an internal error when every write is too large, because no later one is smaller (F38)', async () => {
    harness.server.respond = ({ status }) =>
      status.upload?.state === 'committing'
        ? { status: 413, message: 'Request entity too large' }
        : undefined;
    expect(await harness.failing()).to.include({ code: 'Internal' });
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  it('leaves out the renamed files if an API server, after a rollback, does not know the field (FD21) (F38)', async () => {
    harness.server.respond = ({ status }) =>
      (status.result ?? status.upload?.archive)?.renamed === undefined
        ? undefined
        : REFUSALS['by an API server that does not know a field'];
    const result = await harness.run(undefined, {
      task: { ...task, duplicateNames: 'rename' },
      readFiles: async () => bodies.map(() => ({ url: 'http://source/', filename: 'a' })),
    });
    expect(result.renamed).to.include({ total: 2 });
    const { renamed: _renamed, ...rest } = result;
    expect(harness.server.writes.at(-1)?.status.result).to.deep.equal(rest);
    expect(harness.hostile.objects.size).to.equal(1);
  });

  it('does not count refusals while another API server is away (F38)', async () => {
    let tries = 0;
    harness.server.respond = ({ status }) => {
      if (status.upload?.state !== 'committing' || tries === 400) return undefined;
      tries += 1;
      return tries % 2 === 0 ? { status: 503, message: 'away' } : { status: 403, message: 'starting' };
    };
    // Otherwise a write of the progress could be the one that gets the other response.
    const quiet = { settings: { ...settings, statusProgressIntervalMs: 3_600_000 } };
    expect(await harness.run(undefined, quiet)).to.include({ entries: bodies.length });
  });

  it('ends at once if its ZipJob is gone (F38)', async () => {
    harness.server.respond = ({ status }) =>
      status.upload?.state === 'committing'
        ? {
            status: 404,
            message: 'not found',
            details: { group: 'zipjobs.dev', kind: 'zipjobs', name: 'zip-1' },
          }
        : undefined;
    expect(await harness.failing()).to.include({ code: 'Superseded' });
  });

  it('fails if the response of the API server is not a ZipJob', async () => {
    harness.server.spec = undefined;
    expect(await harness.failing()).to.include({ code: 'Internal' });
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  for (const state of ['open', 'committing'] as const)
    it(`leaves no upload and no object if another pod becomes active before ${state} (F12)`, async () => {
      harness.server.respond = ({ status }) => (status.upload?.state === state ? notActive : undefined);
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
      return tries === 1 ? { status: 503, message: 'away' } : notActive;
    };
    expect(await harness.run()).to.include({ entries: bodies.length });
    expect(tries).to.equal(2);
    expect(harness.hostile.objects.size).to.equal(1);
  });

  it('stops if a progress write is refused because another pod is active', async () => {
    harness.server.respond = ({ status }) =>
      status.upload === undefined || (status.progress?.filesDone ?? 0) === 0 ? undefined : notActive;
    expect(await harness.failing(stuckEntries)).to.include({ code: 'Superseded' });
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  it('continues if progress writes are refused for any other reason, however often (F38)', async () => {
    let refused = 0;
    harness.server.respond = ({ status }) => {
      const isProgress = status.upload?.state === 'open' && (status.progress?.filesDone ?? 0) > 0;
      refused += isProgress ? 1 : 0;
      return isProgress ? REFUSALS['by an API server whose permissions are not loaded yet'] : undefined;
    };
    async function* slowEntries(signal: AbortSignal) {
      for await (const entry of allEntries(signal)) {
        yield entry;
        const before = refused;
        if (entry.index === 0) await until('several refusals', () => refused > before + 5);
      }
    }
    expect(await harness.run(slowEntries)).to.include({ entries: bodies.length });
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
