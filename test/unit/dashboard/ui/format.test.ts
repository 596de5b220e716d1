import { expect } from 'chai';
import { FORMAT } from '#dashboard/ui/format.ts';

describe('FORMAT', () => {
  it('formats sizes', () => {
    const sizes = [0, 1, 1023, 1024, 1536, 150 * 1024 ** 2, 5 * 1024 ** 3].map(FORMAT.bytes);
    expect(sizes).to.deep.equal(['0 B', '1 B', '1023 B', '1.0 KiB', '1.5 KiB', '150 MiB', '5.0 GiB']);
  });

  it('formats durations with their two largest units', () => {
    const texts = [-5, 0, 999, 12_000, 90_000, 3_600_000, 90_061_000].map(FORMAT.duration);
    expect(texts).to.deep.equal(['0 s', '0 s', '0 s', '12 s', '1 min 30 s', '1 h', '1 d 1 h']);
  });

  it('formats times relative to now with their largest unit', () => {
    const now = new Date('2026-03-04T12:00:00Z');
    const times = [
      '2026-03-04T12:00:00Z',
      '2026-03-04T11:59:48Z',
      '2026-03-04T09:20:00Z',
      '2026-01-01T00:00:00Z',
    ];
    expect(times.map((time) => FORMAT.relative(time, now))).to.deep.equal([
      'now',
      '12 s ago',
      '2 h ago',
      '62 d ago',
    ]);
    expect(FORMAT.relative('2026-03-04T12:05:30Z', now)).to.equal('in 5 min');
  });

  it('encodes every part of a path', () => {
    expect(FORMAT.path('projects', 'a/../b', '?')).to.equal('/projects/a%2F..%2Fb/%3F');
  });

  it('formats counts with singular and plural', () => {
    expect([
      FORMAT.count(1, 'job'),
      FORMAT.count(2, 'job'),
      FORMAT.count(1234, 'entry', 'entries'),
    ]).to.deep.equal(['1 job', '2 jobs', '1,234 entries']);
  });
});
