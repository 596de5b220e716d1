import { expect } from 'chai';
import {
  MAX_WAIT_MS,
  type WaitForOptions,
  waitFor,
  waitOrTimeOut,
} from '#administration/changes/wait-for.ts';
import {
  AdministrationError,
  type AdministrationErrorCode,
} from '#administration/errors/administration-error.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

function failure(code: AdministrationErrorCode, retryAfterMs?: number): AdministrationError {
  return new AdministrationError(`It is ${code}`, { code, retryAfterMs });
}

/** Runs a wait whose asks have these outcomes, the last one for ever. Advances the clock until the wait ends. */
async function run(
  outcomes: readonly (Error | string | undefined)[],
  { limitMs = 10_000, ...options }: Partial<WaitForOptions> = {},
) {
  const clock = createManualClock();
  const asked: number[] = [];
  const failures: string[] = [];
  async function ask(): Promise<string | undefined> {
    await Promise.resolve();
    const outcome = outcomes[Math.min(asked.length, outcomes.length - 1)];
    asked.push(clock.monotonicMs());
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }
  function onFailure({ message }: Error) {
    return failures.push(message);
  }
  const wait = { clock, limitMs, onFailure, ...options };
  let ended: { readonly result?: string; readonly error?: AdministrationError } | undefined;
  const end = waitOrTimeOut(wait, ask, () => 'It did not finish').then(
    (result) => {
      ended = { result };
    },
    (error: unknown) => {
      ended = { error: error as AdministrationError };
    },
  );
  for (let turns = 0; ended === undefined && turns < 1_000; turns += 1) await clock.advance(100);
  if (ended === undefined) throw new Error('the wait did not end');
  await end;
  return { asked, failures, ended, endedAt: clock.monotonicMs(), left: clock.pending };
}

describe('waitFor', () => {
  it('continues after every failure that a retry may mend (UI3)', async () => {
    const passing = [failure('Unreachable'), undefined, failure('Conflict'), failure('Unreachable')];
    const { ended, asked, failures, left } = await run([...passing, 'done']);
    expect(ended).to.deep.equal({ result: 'done' });
    expect([asked.length, failures.length, left]).to.deep.equal([5, 3, 0]);
  });

  for (const code of ['NotFound', 'Forbidden', 'Unauthorized', 'Refused', 'InvalidInput'] as const)
    it(`ends at once with ${code} (UI3)`, async () => {
      const final = failure(code);
      const { ended, asked } = await run([undefined, final]);
      expect([ended.error, asked.length]).to.deep.equal([final, 2]);
    });

  it('ends at once with an error of the program itself (UI3)', async () => {
    const bug = new TypeError('x is undefined');
    expect((await run([bug])).ended.error).to.equal(bug);
  });

  it('names the last failure in the message of the time-out (UI3)', async () => {
    const { ended, endedAt } = await run([undefined, failure('Unreachable')], { limitMs: 3_000 });
    expect(ended.error).to.include({
      code: 'TimedOut',
      message: 'It did not finish. The last request failed: It is Unreachable',
    });
    expect(endedAt).to.be.within(3_000, 3_100);
  });

  it('does not name a failure after which a request succeeded (UI3)', async () => {
    const { ended } = await run([failure('Unreachable'), undefined], { limitMs: 3_000 });
    expect(ended.error?.message).to.equal('It did not finish');
  });

  it('asks no earlier than the Retry-After, and not again if the time is over before (UI3)', async () => {
    const busy = failure('Unreachable', 4_000);
    expect((await run([busy, busy, 'done'])).asked).to.deep.equal([0, 4_000, 8_000]);
    const cut = await run([busy], { limitMs: 6_000 });
    expect([cut.asked, cut.ended.error?.code]).to.deep.equal([[0, 4_000], 'TimedOut']);
  });

  it('does not let one Retry-After end a long wait (UI3)', async () => {
    const { asked } = await run([failure('Unreachable', 86_400_000), 'done'], { limitMs: 3_600_000 });
    expect(asked).to.deep.equal([0, 60_000]);
  });

  it('asks less often while requests fail (UI3)', async () => {
    const healthy = (await run([undefined], { limitMs: 60_000 })).asked.length;
    const failing = (await run([failure('Unreachable')], { limitMs: 60_000 })).asked.length;
    expect(failing)
      .to.be.below(healthy / 5)
      .and.above(10);
  });

  it('asks once without a time limit', async () => {
    expect((await run([undefined, 'late'], { limitMs: 0 })).asked).to.deep.equal([0]);
  });

  it('ends a request that gets no response at the time limit, and says so (UI3)', async () => {
    const clock = createManualClock();
    let asked = 0;
    function ask(signal: AbortSignal): Promise<string | undefined> {
      asked += 1;
      if (asked === 1) return Promise.resolve(undefined);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    }
    const end = waitOrTimeOut({ clock, limitMs: 20_000 }, ask, () => 'It did not finish').catch(
      (error: unknown) => error,
    );
    await clock.advance(20_000);
    expect(await end)
      .to.have.property('message')
      .that.equals('It did not finish. The last request failed: The API server did not respond');
  });

  it('ends with the reason of its signal (UI3)', async () => {
    const controller = new AbortController();
    const clock = createManualClock();
    const end = waitFor({ clock, limitMs: 10_000, signal: controller.signal }, () => {
      controller.abort(new DOMException('received SIGINT', 'AbortError'));
      return Promise.reject(failure('Unreachable'));
    }).catch((error: unknown) => error);
    expect(await end).to.equal(controller.signal.reason);
  });

  for (const limitMs of [Number.NaN, Infinity, MAX_WAIT_MS + 1])
    it(`refuses a limit of ${limitMs}, and does not ask (UI6)`, async () => {
      const { ended, asked } = await run(['done'], { limitMs });
      expect(ended.error).to.be.instanceOf(RangeError);
      expect(asked).to.deep.equal([]);
    });
});
