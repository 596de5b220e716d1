import { expect } from 'chai';
import { createCircuit } from '#api/read/circuit.ts';
import { AppError } from '#runtime/errors.ts';

const UNAVAILABLE = new AppError('away', { code: 'HistoryUnavailable', retryable: true });
const REFUSED = new AppError('refused', { code: 'HistoryRefused', retryable: false });
const PAUSE_MS = 2_000;

describe('createCircuit', () => {
  let now: number;
  let tried: number;
  let run: (task: () => Promise<string>) => Promise<string>;

  async function codeOf(task: () => Promise<string>): Promise<string> {
    try {
      return await run(() => {
        tried += 1;
        return task();
      });
    } catch (error) {
      return error instanceof AppError ? error.code : 'another error';
    }
  }
  function fails(): Promise<string> {
    return Promise.reject(UNAVAILABLE);
  }
  function works(): Promise<string> {
    return Promise.resolve('done');
  }
  async function failThrice(): Promise<void> {
    for (let n = 0; n < 3; n += 1) expect(await codeOf(fails)).to.equal('HistoryUnavailable');
    tried = 0;
  }

  beforeEach(() => {
    now = 1_000;
    tried = 0;
    run = createCircuit({ clock: { monotonicMs: () => now }, pauseMs: PAUSE_MS });
  });

  it('runs no task for a while after three failures in a row, and says when to retry (G8)', async () => {
    await failThrice();
    now += 500;
    const error: unknown = await run(works).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(AppError).and.to.include({ code: 'HistoryPaused', retryable: true });
    expect(error).to.have.property('retryAfterMs', 1_500);
    expect(tried).to.equal(0);
  });

  it('continues after a success, and after failures that others interrupted', async () => {
    for (const task of [fails, fails, works, fails, fails, works]) await codeOf(task);
    expect(tried).to.equal(6);
  });

  it('tries one task alone after the pause, and continues when it succeeds', async () => {
    await failThrice();
    now += PAUSE_MS;
    const held = Promise.withResolvers<string>();
    const trial = codeOf(() => held.promise);
    expect(await codeOf(works)).to.equal('HistoryPaused');
    held.resolve('done');
    expect(await trial).to.equal('done');
    expect(await Promise.all([codeOf(works), codeOf(works)])).to.deep.equal(['done', 'done']);
    expect(tried).to.equal(3);
  });

  it('pauses again when the trial fails', async () => {
    await failThrice();
    now += PAUSE_MS;
    expect(await codeOf(fails)).to.equal('HistoryUnavailable');
    expect(await codeOf(works)).to.equal('HistoryPaused');
    now += PAUSE_MS;
    expect(await codeOf(works)).to.equal('done');
    expect(tried).to.equal(2);
  });

  it('does not count errors of a database that responds', async () => {
    for (let n = 0; n < 5; n += 1) await codeOf(() => Promise.reject(REFUSED));
    expect(tried).to.equal(5);
  });
});
