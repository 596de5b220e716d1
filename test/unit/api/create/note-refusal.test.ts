import { expect } from 'chai';
import { createNoteRefusal } from '#api/create/refusals.ts';
import { storedJobsFull } from '#api/errors/api-error.ts';
import { createLogger } from '#runtime/log/log.ts';

function setUp() {
  const time = { now: 0 };
  const lines: string[] = [];
  const log = createLogger('api', {
    level: 'info',
    destination: { write: (line: string) => lines.push(line) },
  });
  const note = createNoteRefusal({ clock: { monotonicMs: () => time.now }, log });
  function logged(): readonly unknown[] {
    return lines.splice(0).map((line) => (JSON.parse(line) as { project: string }).project);
  }
  return { time, logged, note: (project: string) => note(project, storedJobsFull(1)) };
}

describe('createNoteRefusal', () => {
  it('names every full project once a minute, also while another one sends many requests (N2)', () => {
    const { time, logged, note } = setUp();
    for (const project of ['a', 'a', 'b', 'a', 'b']) note(project);
    expect(logged()).to.deep.equal(['a', 'b']);
    time.now = 59_999;
    note('c');
    note('a');
    expect(logged()).to.deep.equal(['c']);
    time.now = 60_000;
    for (const project of ['a', 'b', 'c']) note(project);
    expect(logged()).to.deep.equal(['a', 'b']);
  });
});
