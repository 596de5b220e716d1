import { expect } from 'chai';
import { filterChips } from '#dashboard/jobs/job-filters.ts';
import { isNarrowed, readJobQuery, writeJobQuery } from '#dashboard/jobs/job-query.ts';

function read(query: string | Record<string, string>) {
  return readJobQuery(new URLSearchParams(query));
}

const FULL = {
  text: 'a&b=c ö',
  state: 'unfinished',
  reason: 'SlotsTaken',
  bucket: 's3-a',
  token: 'order service',
  within: '7d',
  from: '2026-01-31T10:00',
  to: '2026-02-01T00:30',
  finishedFrom: '2026-01-31T11:00',
  finishedTo: '2026-02-01T01:30',
  page: 3,
} as const;

describe('readJobQuery', () => {
  it('reads what writeJobQuery wrote', () => {
    expect(read(writeJobQuery(FULL))).to.deep.equal({ query: FULL, errors: {} });
    expect(writeJobQuery({ text: '', page: 1 })).to.equal('');
    expect(isNarrowed(read('page=7').query)).to.equal(false);
  });

  for (const page of ['0', '1e3', '1.5', '', 'abc', '1234567'])
    it(`reads page ${JSON.stringify(page)} as the first`, () => {
      expect(read({ page }).query.page).to.equal(1);
    });

  for (const [parameter, value, error] of [
    ['state', 'Gone', 'The state must be unfinished, Queued'],
    ['within', '1y', 'The period must be 1h, 24h, 7d.'],
    ['from', '2026-02-30T10:00', 'Enter a time such as 2026-01-31T10:00.'],
    ['to', 'tomorrow', 'Enter a time such as'],
    ['finished-from', '2026-01-31', 'Enter a time such as'],
    ['finished-to', 'tomorrow', 'Enter a time such as'],
    ['q', 'x'.repeat(2_000), 'Enter at most 1024 characters.'],
  ] as const)
    it(`reports an invalid ${parameter} instead of ignoring it`, () => {
      expect(read({ [parameter]: value }).errors[parameter]).to.contain(error);
    });

  it('reports an end that is not after the start', () => {
    const time = '2026-01-31T10:00';
    const error = 'The end is not after the start.';
    expect(read({ from: time, to: time }).errors).to.deep.equal({ to: error });
    const finished = { 'finished-from': time, 'finished-to': time };
    expect(read(finished).errors).to.deep.equal({ 'finished-to': error });
    expect(read({ from: time, 'finished-to': time }).errors).to.deep.equal({});
  });
});

describe('filterChips', () => {
  it('names each active filter, and links to the first page without it', () => {
    const chips = filterChips('/jobs', FULL);
    expect(chips.map(({ label }) => label)).to.deep.equal([
      'ID or key: a&b=c ö',
      'State: In progress',
      'Reason: SlotsTaken',
      'Bucket: s3-a',
      'Token: order service',
      'Created: Last 7 days',
      'Created from 2026-01-31 10:00 UTC',
      'Created before 2026-02-01 00:30 UTC',
      'Finished from 2026-01-31 11:00 UTC',
      'Finished before 2026-02-01 01:30 UTC',
    ]);
    for (const [index, { href }] of chips.entries()) {
      const left = read(href.slice('/jobs'.length)).query;
      expect(left.page).to.equal(1);
      expect(filterChips('/jobs', left)).to.have.lengthOf(9);
      expect(filterChips('/jobs', left).map(({ label }) => label)).to.not.include(chips[index]?.label);
    }
    expect(filterChips('/jobs', read('').query)).to.deep.equal([]);
  });
});
