/** When the other sources of a failed job are checked, and how the status reports it. */
import { expect } from 'chai';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import type { SourceCheck } from '#crds/zip-outcome.ts';
import { until } from '#test/support/until.ts';
import { SourceError, type SourceErrorCode } from '#zipper-image/sources/source-error.ts';
import { bodies, type Entries, entryOf, JobHarness, settings, task } from './job-harness.ts';

const PERMANENT = new Set<SourceErrorCode>(['SourceNotFound', 'SourceTlsError']);

/** The second file fails. */
function failingWith(code: SourceErrorCode): Entries {
  return async function* () {
    yield entryOf(bodies[0] ?? Buffer.alloc(0), 0);
    const retryable = !PERMANENT.has(code);
    throw new SourceError({ index: 1 }, { code, text: 'it is gone', retryable });
  };
}

describe('a job that fails because of a source', () => {
  let harness: JobHarness;
  let checks = 0;
  beforeEach(async () => {
    harness = await JobHarness.start();
    checks = 0;
    harness.known.good(0, 2_000_000);
    harness.checkOthers = async () => {
      checks += 1;
      harness.known.failed({ fileIndex: 2, code: 'SourceExpired', httpStatus: 403 });
    };
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  function lastStatus() {
    return harness.server.writes.at(-1)?.status;
  }
  const bothFailed: SourceCheck = {
    checked: 3,
    failed: 2,
    failures: [
      { fileIndex: 1, code: 'SourceNotFound' },
      { fileIndex: 2, code: 'SourceExpired', httpStatus: 403 },
    ],
    bytes: 2_000_000,
    lengths: 1,
  };

  it('reports all bad sources with its failure, which is still the first one (C4)', async () => {
    const error = await harness.failing(failingWith('SourceNotFound'));
    expect(error).to.deep.include({ code: 'SourceNotFound', retryable: false });
    expect(error.message).to.match(/^file 1: it is gone; 2 of 3 checked sources fail$/);
    const { failure, sourceCheck } = lastStatus() ?? {};
    expect(failure).to.include({ code: 'SourceNotFound', fileIndex: 1 });
    expect(sourceCheck).to.deep.equal(bothFailed);
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  it('does not delay the abort of its upload, and keeps writing its status during the check (C4)', async () => {
    harness.checkOthers = async () => {
      await until('the upload to be aborted', () => harness.leftovers[0] === 0);
      harness.known.failed({ fileIndex: 2, code: 'SourceStalled' });
      await until('the status to show it', () => lastStatus()?.sourceCheck?.failed === 2);
      expect(lastStatus()).not.to.have.property('failure');
    };
    await harness.failing(failingWith('SourceNotFound'));
    expect(lastStatus()).to.have.property('failure');
  });

  for (const [name, end] of Object.entries({
    'is terminated': () => harness.stopping.abort(new Error('SIGTERM')),
    'is superseded': () => {
      harness.server.respond = () => ({ status: 403, message: `[${POLICY_MARKS.notActive}]` });
      harness.known.failed({ fileIndex: 2, code: 'SourceStalled' });
    },
  }))
    it(`ends the check when its pod ${name} (C4)`, async () => {
      harness.checkOthers = (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve());
          end();
        });
      expect(await harness.failing(failingWith('SourceNotFound'))).to.include({ code: 'SourceNotFound' });
    });

  it('checks the others only in its last attempt if a retry may help', async () => {
    const retried = await harness.failing(failingWith('SourceUnavailable'));
    expect(retried).to.include({ code: 'SourceUnavailable' });
    expect(checks).to.equal(0);
    expect(lastStatus()).not.to.have.property('sourceCheck');
    const attempts = ['transient', 'disruption', 'transient', 'oom'] as const;
    harness.server.shown = { attempts: attempts.map((one, n) => ({ n, podUid: `other-${n}`, class: one })) };
    await harness.failing(failingWith('SourceUnavailable'));
    expect(checks).to.equal(1);
  });

  for (const [name, change] of Object.entries({
    'it skips bad sources': { task: { ...task, onSourceError: 'Skip' as const } },
    'it reads its sources in sequence (C6)': { task: { ...task, sequential: true } },
    'all jobs read their sources in sequence (C6)': { settings: { ...settings, sourceSequential: true } },
    'the check is off': { settings: { ...settings, sourceCheckLimitMs: 0 } },
  }))
    it(`does not check the others if ${name}`, async () => {
      await harness.failing(failingWith('SourceNotFound'), change);
      expect(checks).to.equal(0);
      expect(lastStatus()).not.to.have.property('sourceCheck');
    });

  it("does not check the others if the proxy refuses the operator's credentials", async () => {
    harness.server.shown = {
      attempts: [1, 2, 3].map((n) => ({ n, podUid: `other-${n}`, class: 'transient' })),
    };
    await harness.failing(failingWith('SourceProxyAuthenticationRequired'));
    expect(checks).to.equal(0);
  });

  it('does not check sources after another failure', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'response', status: 403, code: 'AccessDenied' } : undefined;
    await harness.failing();
    expect(checks).to.equal(0);
  });

  it('counts a source whose archive entry is refused', async () => {
    const wrongLength: Entries = async function* () {
      yield { ...entryOf(bodies[0] ?? Buffer.alloc(0), 0), declaredLength: 5 };
    };
    harness.server.shown = {
      attempts: [1, 2, 3].map((n) => ({ n, podUid: `other-${n}`, class: 'transient' })),
    };
    expect(await harness.failing(wrongLength)).to.include({ code: 'SourceTruncated' });
    expect(lastStatus()?.sourceCheck?.failures[0]).to.deep.equal({ fileIndex: 0, code: 'SourceTruncated' });
  });
});
