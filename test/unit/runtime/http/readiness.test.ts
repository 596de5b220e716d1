import { expect } from 'chai';
import { createReadiness } from '#runtime/http/serve-requests.ts';

describe('createReadiness', () => {
  it('is ready from the time the port is open until the stop signal (T26)', () => {
    let missing = ['zipJobs', 'zipTokens'];
    const caches = { missing: () => missing };
    const stop = new AbortController();
    const readiness = createReadiness({ caches, stopping: stop.signal });
    expect(readiness.ready()).to.deep.equal({
      ok: false,
      reason: 'waiting for the initial list of: zipJobs, zipTokens',
    });
    missing = [];
    expect(readiness.ready()).to.deep.include({ ok: false });
    readiness.listening();
    expect(readiness.ready()).to.deep.equal({ ok: true });
    stop.abort();
    expect(readiness.ready()).to.deep.equal({ ok: false, reason: 'stopping' });
    expect(readiness.healthy()).to.deep.equal({ ok: true });
  });
});
