import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import { readCursor, writeCursor } from '#runtime/history/job-cursor.ts';

const UID = '00000000-0000-4000-8000-000000000002';

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function codeOf(cursor: string): string | undefined {
  try {
    readCursor(cursor);
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error.code : 'not an AppError';
  }
}

describe('job cursor', () => {
  it('keeps all microseconds of the end', () => {
    const place = { finishedAt: '2026-11-23T06:00:02.123456Z', uid: UID };
    expect(readCursor(writeCursor(place))).to.deep.equal(place);
    expect(writeCursor(place)).to.match(/^[\w-]+$/);
  });

  it('contains the end and the uid of a job and nothing else', () => {
    const cursor = writeCursor({ finishedAt: '2026-11-23T06:00:02Z', uid: UID });
    expect(JSON.parse(Buffer.from(cursor, 'base64url').toString())).to.deep.equal([
      '2026-11-23T06:00:02Z',
      UID,
    ]);
  });

  for (const [what, cursor] of Object.entries({
    'an empty text': '',
    'text that is not Base64': '%%%',
    'a long text': 'a'.repeat(100_000),
    'another JSON value': encode({ finishedAt: '2026-11-23T06:00:02Z', uid: UID }),
    'one value more': encode(['2026-11-23T06:00:02Z', UID, 1]),
    'a time of another form': encode(['infinity', UID]),
    'a time with an offset': encode(['2026-11-23T06:00:02+01:00', UID]),
    'a day that does not exist': encode(['2026-02-30T06:00:02Z', UID]),
    'a year that PostgreSQL refuses': encode(['0000-01-01T00:00:00Z', UID]),
    'SQL instead of a uid': encode(['2026-11-23T06:00:02Z', "' OR true --"]),
    'a number instead of a time': encode([1, UID]),
  }))
    it(`refuses ${what}`, () => {
      expect(codeOf(cursor)).to.equal('InvalidCursor');
    });
});
