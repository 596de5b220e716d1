import { expect } from 'chai';
import { type ArchiveFindings, checkArchive, DATABASE_AWAY, UNKNOWN_ID } from '#test/chaos/check-archive.ts';
import type { Seen } from '#test/chaos/observations.ts';
import { sight, UUID, withPod } from './histories.ts';

const ROW = { id: UUID, phase: 'Succeeded', reason: 'Uploaded' };
const ENDED = [withPod(sight('Running')), sight('Succeeded', 'Uploaded', 'now')];

function judge(seen: readonly Seen[], change: Partial<ArchiveFindings> = {}): readonly string[] {
  return checkArchive(seen, {
    jobs: [{ uuid: UUID }],
    rows: [ROW],
    counted: 1,
    reportedLost: new Set(),
    responses: new Map([[UUID, 'succeeded']]),
    ...change,
  }).map(({ rule, text }) => `${rule} ${text}`);
}

describe('checkArchive', () => {
  it('accepts a job that is stored and counted once and read afterwards (G8)', () => {
    expect(judge(ENDED)).to.deep.equal([]);
  });

  it('finds a job that is missing, unless its loss was reported or it never ran (G8)', () => {
    const missing = { rows: [], counted: 0, responses: new Map() };
    expect(judge(ENDED, missing)).to.deep.equal(['G8 finished, but is neither stored nor reported as lost']);
    expect(judge(ENDED, { ...missing, reportedLost: new Set([`zip-${UUID}`]) })).to.deep.equal([]);
    expect(judge([sight('Queued'), sight('Cancelled', 'Deleted', 'now')], missing)).to.deep.equal([]);
    expect(judge([withPod(sight('Running'))], missing)).to.have.length(1);
  });

  it('finds a job that is stored or counted twice, or stored with another end (G8)', () => {
    expect(judge(ENDED, { rows: [ROW, ROW], counted: 2 })).to.deep.equal(['G8 is stored 2 times']);
    expect(judge(ENDED, { counted: 2 })).to.deep.equal(['G8 1 jobs are stored, and 2 counted']);
    expect(judge(ENDED, { rows: [{ ...ROW, phase: 'Failed' }] })).to.have.length(1);
  });

  it('finds a 404 for a stored job, and any response but 503 for an unknown id without the database (G8)', () => {
    expect(judge(ENDED, { responses: new Map([[UUID, 'absent']]) })).to.have.length(1);
    function note(status: number): Seen {
      return { kind: 'note', at: 0, text: `${UNKNOWN_ID}${status}` };
    }
    expect(judge([...ENDED, note(503)])).to.deep.equal([]);
    const away: Seen = { kind: 'note', at: 0, text: `${DATABASE_AWAY}freeze` };
    expect(judge([...ENDED, away, note(503)])).to.deep.equal([]);
    expect(judge([...ENDED, away])).to.deep.equal([
      'G8 no request for an unknown id got a response while the database was away',
    ]);
    expect(judge([...ENDED, note(503), note(404)])).to.deep.equal([`G8 ${UNKNOWN_ID}404`]);
  });
});
