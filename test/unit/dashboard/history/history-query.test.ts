import { expect } from 'chai';
import {
  activeFilters,
  fromJobQuery,
  historyFilter,
  readHistoryQuery,
  timesOf,
  writeHistoryQuery,
} from '#dashboard/history/history-query.ts';
import { readJobQuery } from '#dashboard/jobs/job-query.ts';

const ID = '0198b5a0-0000-7000-8000-000000000001';

function read(query: string) {
  return readHistoryQuery(new URLSearchParams(query));
}

function filterOf(query: string) {
  return historyFilter('project-uid', read(query).query);
}

describe('readHistoryQuery', () => {
  it('survives being written to a URL and read again', () => {
    const text =
      '?q=a+b%26c&state=Failed&reason=SourceNotFound&bucket=r2%2Fcold&token=ci&from=2026-01-30&to=2026-01-31&after=abc';
    expect(writeHistoryQuery(read(text).query)).to.equal(text);
    expect(writeHistoryQuery(read('').query)).to.equal('');
  });

  it('reports each invalid value instead of ignoring the filter', () => {
    const { errors } = read(`state=Running&from=2026-02-30&to=yesterday&q=${'x'.repeat(1_025)}`);
    expect(Object.keys(errors)).to.have.members(['state', 'from', 'to', 'q']);
    expect(read('reason=not found&token=My token').errors).to.deep.equal({
      reason: 'The reason must be one or more reasons such as SourceNotFound, separated by commas.',
      token: 'The token must be the ID of an access token, such as ci-k7x2mq.',
    });
    expect(read('from=2026-02-02&to=2026-02-01').errors.to).to.equal('The end is not after the start.');
    expect(read('from=2026-02-01&to=2026-02-01').errors).to.deep.equal({});
    for (const text of ['2026-02-30T10:00', '2026-02-01T24:00', '2026-02-01T10', '2026-02-01 10:00'])
      expect(Object.keys(read(`from=${text}`).errors), text).to.deep.equal(['from']);
    expect(read('from=2026-02-01T10:00&to=2026-02-01T10:00').errors.to).to.be.a('string');
  });

  it('does not count the start of a page as a filter', () => {
    expect(activeFilters(read('after=abc').query)).to.deep.equal([]);
    expect(activeFilters(read('token=ci&after=abc').query)).to.deep.equal(['token']);
  });
});

describe('historyFilter', () => {
  it('searches an ID, also in the name of its ZipJob, and anything else as a key', () => {
    expect(filterOf(`q=${ID.toUpperCase()}`)).to.deep.equal({ projectUid: 'project-uid', id: ID });
    expect(filterOf(`q=zip-${ID}`)).to.deep.equal({ projectUid: 'project-uid', id: ID });
    expect(filterOf('q=reports/*.zip')).to.deep.equal({ projectUid: 'project-uid', key: 'reports/*.zip' });
  });

  it('selects both days completely, in UTC', () => {
    expect(filterOf('from=2026-01-30&to=2026-01-31')).to.deep.equal({
      projectUid: 'project-uid',
      finishedAfter: new Date('2026-01-30T00:00:00Z'),
      finishedBefore: new Date('2026-02-01T00:00:00Z'),
    });
  });

  it('selects from one minute until before another', () => {
    expect(filterOf('from=2026-01-30T10:00&to=2026-01-30T11:00')).to.deep.equal({
      projectUid: 'project-uid',
      finishedAfter: new Date('2026-01-30T10:00:00Z'),
      finishedBefore: new Date('2026-01-30T11:00:00Z'),
    });
  });

  it('shows days as times in the form', () => {
    expect(timesOf(read('from=2026-01-30&to=2026-01-31').query)).to.deep.equal({
      from: '2026-01-30T00:00',
      to: '2026-02-01T00:00',
    });
    expect(timesOf(read('from=soon').query)).to.deep.equal({ from: '', to: '' });
  });

  it('takes a bucket without a service for one of S3', () => {
    expect(filterOf('bucket=reports').bucket).to.deep.equal({ service: 's3', bucketName: 'reports' });
    expect(filterOf('bucket=r2/cold').bucket).to.deep.equal({ service: 'r2', bucketName: 'cold' });
  });

  it('selects state, reason and token', () => {
    expect(filterOf('state=Failed&reason=SourceNotFound&token=ci')).to.deep.equal({
      projectUid: 'project-uid',
      phases: ['Failed'],
      reasons: ['SourceNotFound'],
      createdBy: 'ci',
    });
  });
});

describe('fromJobQuery', () => {
  const now = new Date('2026-02-03T10:00:00Z');
  function from(query: string) {
    return fromJobQuery(readJobQuery(new URLSearchParams(query)).query, now);
  }

  it('repeats a search of the list of jobs', () => {
    const query = 'q=report&state=Failed&reason=SourceNotFound&bucket=r2-cold&token=ci&within=24h';
    expect(from(query)).to.deep.equal({
      q: '*report*',
      state: 'Failed',
      reason: 'SourceNotFound',
      bucket: 'r2/cold',
      token: 'ci',
      from: '2026-02-02T10:00',
    });
    expect(from(`q=${ID}`).q).to.equal(ID);
    expect(from('within=24h&from=2026-02-03T08:00').from).to.equal('2026-02-03T08:00');
    expect(from('within=1h&from=2026-01-01T08:00').from).to.equal('2026-02-03T09:00');
  });

  it('has the times at which jobs finished', () => {
    const finished = 'finished-from=2026-02-01T08:00&finished-to=2026-02-01T09:00';
    expect(from(finished)).to.include({ from: '2026-02-01T08:00', to: '2026-02-01T09:00' });
    expect(from(`${finished}&from=2026-02-01T08:30`).from).to.equal('2026-02-01T08:30');
  });

  it('drops a state that no finished job has', () => {
    expect(from('state=unfinished').state).to.equal('');
  });
});
