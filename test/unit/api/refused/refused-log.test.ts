import { expect } from 'chai';
import {
  createRefusedLog,
  MAX_REFUSED_BYTES,
  MAX_REFUSED_PROJECTS,
  type Refusal,
} from '#api/refused/refused-log.ts';
import {
  MAX_REFUSED,
  MAX_REQUEST_IDS,
  REFUSED_TTL_MS,
  SAME_ENTRY_MS,
} from '#runtime/refused-requests/refused-request.ts';
import { createManualClock, type ManualClock } from '#test/support/builders/manual-clock.ts';
import { aRefusedEntry } from '#test/support/builders/refused-requests.ts';

function aRefusal(change: Partial<Refusal> = {}): Refusal {
  const { token, method, route, status, code, param } = aRefusedEntry();
  return {
    projectUid: 'team-a',
    requestId: 'request-1',
    token,
    method,
    route,
    status,
    code,
    param,
    ...change,
  };
}

describe('createRefusedLog', () => {
  let clock: ManualClock;
  beforeEach(() => {
    clock = createManualClock();
  });
  function start(isShared = false) {
    return createRefusedLog({ clock, replica: 'a', isShared });
  }

  it('counts equal refusals, with the newest request IDs and the newest path', () => {
    const log = start();
    for (let n = 1; n <= 25; n += 1)
      log.note(aRefusal({ requestId: `request-${n}`, param: `urls[${n}].url` }));
    const [entry, ...others] = log.of('team-a');
    expect(others).to.deep.equal([]);
    expect(entry).to.include({ count: 25, param: 'urls[25].url', token: 'zj_A...wxyz', status: 422 });
    expect(entry?.requestIds).to.have.length(MAX_REQUEST_IDS);
    expect(entry?.requestIds[0]).to.equal('request-25');
  });

  it('keeps what else a project did, however often one of its tokens is refused', () => {
    const log = start();
    log.note(aRefusal({ requestId: 'rare' }));
    for (let n = 0; n < 20 * MAX_REFUSED; n += 1) {
      const token = n % 2 === 0 ? 'zj_B...wxyz' : 'zj_C...wxyz';
      log.note(
        aRefusal({ requestId: `burst-${n}`, token, status: 429, code: 'rate_limit_exceeded', param: '' }),
      );
    }
    expect(log.of('team-a').map(({ count }) => count)).to.deep.equal([1, 10 * MAX_REFUSED, 10 * MAX_REFUSED]);
  });

  it('starts another entry after ten minutes, and forgets all after a week', () => {
    const log = start();
    log.note(aRefusal());
    clock.jump(SAME_ENTRY_MS);
    log.note(aRefusal());
    expect(log.of('team-a')).to.have.length(2);
    clock.jump(REFUSED_TTL_MS + 1);
    expect(log.of('team-a')).to.deep.equal([]);
  });

  it('keeps the newest 1,000 entries of a project', () => {
    const log = start();
    for (let n = 0; n < MAX_REFUSED + 7; n += 1) log.note(aRefusal({ token: `zj_${n}` }));
    const entries = log.of('team-a');
    expect(entries).to.have.length(MAX_REFUSED);
    expect(entries[0]?.token).to.equal('zj_7');
  });

  it('stays within its memory with many projects, and takes from those with the most entries', () => {
    const log = start();
    let most = 0;
    for (let n = 0; n < MAX_REFUSED_PROJECTS + 100; n += 1)
      log.note(aRefusal({ projectUid: `quiet-${n}`, requestId: `quiet-${n}` }));
    for (let n = 0; n < 30 * MAX_REFUSED; n += 1) {
      const projectUid = `busy-${n % 50}`;
      log.note(aRefusal({ projectUid, token: `zj_${n}`, requestId: 'x'.repeat(64) }));
      most = Math.max(most, log.bytes);
    }
    expect(most).to.be.within(MAX_REFUSED_BYTES * 0.9, MAX_REFUSED_BYTES + 10_000);
    expect(log.of('quiet-0')).to.deep.equal([]);
    expect(log.of(`quiet-${MAX_REFUSED_PROJECTS + 99}`)).to.have.length(1);
    expect(log.of('busy-7').length).to.be.within(1, MAX_REFUSED);
  });

  it('returns each changed entry once, and again if it could not be shared', () => {
    const log = start(true);
    log.note(aRefusal());
    log.note(aRefusal({ projectUid: 'team-b' }));
    const [first, ...more] = log.takeChanged(1);
    expect(more).to.deep.equal([]);
    expect(log.takeChanged(9)).to.have.length(1);
    expect(log.takeChanged(9)).to.deep.equal([]);
    log.putBack(first === undefined ? [] : [first]);
    expect(log.takeChanged(9)).to.deep.equal([first]);
    log.note(aRefusal());
    log.putBack(first === undefined ? [] : [first]);
    expect(log.takeChanged(9).map(({ entry }) => entry.count)).to.deep.equal([2]);
  });
});
