import { expect } from 'chai';
import { filterLine } from '#dashboard/jobs/job-filters.ts';
import { isNarrowed, type JobQuery, readJobQuery, writeJobQuery } from '#dashboard/jobs/job-query.ts';

function read(query: string | Record<string, string>) {
  return readJobQuery(new URLSearchParams(query));
}

const FULL = {
  text: 'a&b=c ö',
  state: 'unfinished',
  reason: 'SlotsTaken',
  bucket: 's3/a',
  token: 'order service',
  within: '7d',
  from: '2026-01-31T10:00',
  to: '2026-02-01T00:30',
  finishedWithin: 'today',
  finishedFrom: '2026-01-31T11:00',
  finishedTo: '2026-02-01T01:30',
  ids: '0b0e9e5e,nightly',
  sort: '-size',
  page: 3,
  after: '',
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
    ['state', 'Gone', 'The state must be one or more of unfinished, Queued'],
    ['state', 'Failed,Gone', 'The state must be one or more of'],
    ['within', '1y', 'The period must be 1h, today, 24h, 7d.'],
    ['from', '2026-02-30T10:00', 'Enter a time such as 2026-01-31T10:00, or a day such as 2026-01-31.'],
    ['to', 'tomorrow', 'Enter a time such as'],
    ['finished-within', 'yesterday', 'The period must be'],
    ['finished-from', '2026-02-30', 'Enter a time such as'],
    ['id', 'a,'.repeat(100), 'Select at most 100 jobs.'],
    ['finished-to', 'tomorrow', 'Enter a time such as'],
    ['q', 'x'.repeat(2_000), 'Enter at most 1024 characters.'],
    ['q', '*a'.repeat(9), 'Use * at most 8 times.'],
    ['id', '6f1c0f4e,', 'A value between commas is empty. Remove the comma.'],
    ['reason', ',SourceNotFound', 'A value between commas is empty. Remove the comma.'],
  ] as const)
    it(`reports an invalid ${parameter} (${value.slice(0, 12)}) instead of ignoring it`, () => {
      expect(read({ [parameter]: value }).errors[parameter]).to.contain(error);
    });

  it('reads days, several values, buckets by each of their names, and sorts by known columns', () => {
    const { query } = read(
      'from=2026-01-30&to=2026-01-31&state=Failed&state=&state=Queued&bucket=r2-cold&token=&token=ci&sort=-key',
    );
    expect(query).to.deep.include({
      from: '2026-01-30T00:00',
      to: '2026-02-01T00:00',
      state: 'Failed,Queued',
      bucket: 'r2/cold',
      token: 'ci',
      sort: '-key',
    });
    expect(read('bucket=r2/cold&sort=secret').query).to.deep.include({ bucket: 'r2/cold', sort: '' });
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

describe('filterLine', () => {
  function chipsOf(query: JobQuery) {
    const choices = { of: () => [] };
    return filterLine(
      { namespace: 'team-a', path: '/jobs', source: 'cluster', query, choices },
      {},
    ).chips.filter(({ value }) => value !== '');
  }

  it('shows the value of each active filter once, on the chip that removes it (Q-U34)', () => {
    const chips = chipsOf(FULL);
    expect(chips.map(({ label, value }) => `${label}: ${value}`)).to.deep.equal([
      'State: In progress',
      'Reason: SlotsTaken',
      'Bucket: s3/a',
      'Token: order service',
      'Created: Last 7 days, 2026-01-31 10:00 – 2026-02-01 00:30',
      'Finished: Today, 2026-01-31 11:00 – 2026-02-01 01:30',
      'Selected: 2 jobs',
    ]);
    for (const [index, { clearHref }] of chips.entries()) {
      const left = read(clearHref.slice('/jobs'.length)).query;
      expect(left.page).to.equal(1);
      expect(chipsOf(left).map(({ label }) => label)).to.deep.equal(
        chips.filter((_, other) => other !== index).map(({ label }) => label),
      );
    }
    expect(chipsOf(read('').query)).to.deep.equal([]);
  });

  it('offers the value of a filter that no job has', () => {
    const [chip] = chipsOf(read('state=Starting,Running').query);
    expect(chip).to.include({ value: 'Starting, Running', chosen: 'Starting,Running' });
    expect(chip?.options.map(({ value }) => value)).to.include('Starting,Running');
  });
});
