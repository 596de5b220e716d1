import { expect } from 'chai';
import { fromJobQuery, historyFilter } from '#dashboard/history/history-query.ts';
import { activeFilters, readJobQuery, writeJobQuery } from '#dashboard/jobs/job-query.ts';

const ID = '0198b5a0-0000-7000-8000-000000000001';
const NOW = new Date('2026-02-03T10:00:00Z');

function read(query: string) {
  return readJobQuery(new URLSearchParams(query), 'history');
}

function filterOf(query: string) {
  return historyFilter('project-uid', read(query).query, NOW);
}

describe('readJobQuery of the history', () => {
  it('survives being written to a URL and read again', () => {
    const text =
      '?q=a+b%26c&state=Failed&reason=SourceNotFound&bucket=r2%2Fcold&token=ci&finished-within=7d&finished-from=2026-01-30T00%3A00&finished-to=2026-02-01T00%3A00&after=abc';
    expect(writeJobQuery(read(text).query)).to.equal(text);
    expect(writeJobQuery(read('').query)).to.equal('');
  });

  it('reports each invalid value instead of ignoring the filter', () => {
    const { errors } = read(`state=Running&from=2026-02-30&to=yesterday&q=${'x'.repeat(1_025)}`);
    expect(Object.keys(errors)).to.have.members(['state', 'finished-from', 'finished-to', 'q']);
    expect(read('reason=not found&token=My token').errors).to.deep.equal({
      reason: 'The reason must be one or more reasons such as SourceNotFound, separated by commas.',
      token: 'The token must be the ID of an access token, such as ci-k7x2mq.',
    });
    expect(read('from=2026-02-02&to=2026-02-01').errors['finished-to']).to.equal(
      'The end is not after the start.',
    );
    expect(read('from=2026-02-01&to=2026-02-01').errors).to.deep.equal({});
    for (const text of ['2026-02-30T10:00', '2026-02-01T24:00', '2026-02-01T10', '2026-02-01 10:00'])
      expect(Object.keys(read(`from=${text}`).errors), text).to.deep.equal(['finished-from']);
    expect(read('from=2026-02-01T10:00&to=2026-02-01T10:00').errors['finished-to']).to.be.a('string');
  });

  it('reads a period or range of the list of jobs as that in which jobs finished (Q-U16)', () => {
    const { query } = read('within=7d&from=2026-01-30T10:00&to=2026-02-01T10:00&page=7&sort=key&id=a');
    expect(writeJobQuery(query)).to.equal(
      '?finished-within=7d&finished-from=2026-01-30T10%3A00&finished-to=2026-02-01T10%3A00',
    );
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
    for (const q of ['0198B5', 'zip-0198b5', '0198b5a0-0000-7'])
      expect(filterOf(`q=${q}`).idPrefix, q).to.equal(q.toLowerCase().replace('zip-', ''));
    for (const key of ['0198b', 'report', '0198b5a00'])
      expect(filterOf(`q=${key}`)).to.deep.equal({ projectUid: 'project-uid', key });
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

  it('takes a bucket without a service for one of S3', () => {
    expect(filterOf('bucket=reports').bucket).to.deep.equal({ service: 's3', bucketName: 'reports' });
    expect(filterOf('bucket=r2/cold').bucket).to.deep.equal({ service: 'r2', bucketName: 'cold' });
  });

  it('selects several states, and the jobs of a period until now', () => {
    expect(filterOf('state=Failed,Cancelled&finished-within=today')).to.deep.equal({
      projectUid: 'project-uid',
      phases: ['Failed', 'Cancelled'],
      finishedAfter: new Date('2026-02-03T00:00:00Z'),
    });
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
    const query = 'q=report&state=Failed,Queued&reason=SourceNotFound&bucket=r2-cold&token=ci&within=24h';
    expect(from(query)).to.deep.equal({
      text: '*report*',
      state: 'Failed',
      reason: 'SourceNotFound',
      bucket: 'r2/cold',
      token: 'ci',
      finishedWithin: '',
      finishedFrom: '2026-02-02T10:00',
      finishedTo: '',
    });
    for (const text of [ID, '0198b5', 'exports/*.zip', ''])
      expect(from(`q=${text}`).text, text).to.equal(text);
    expect(from('within=24h&from=2026-02-03T08:00').finishedFrom).to.equal('2026-02-03T08:00');
    expect(from('within=1h&from=2026-01-01T08:00').finishedFrom).to.equal('2026-02-03T09:00');
  });

  it('has the times at which jobs finished', () => {
    const finished = 'finished-within=today&finished-from=2026-02-01T08:00&finished-to=2026-02-01T09:00';
    expect(from(finished)).to.include({
      finishedWithin: 'today',
      finishedFrom: '2026-02-01T08:00',
      finishedTo: '2026-02-01T09:00',
    });
    expect(from(`${finished}&from=2026-02-01T08:30`).finishedFrom).to.equal('2026-02-01T08:30');
  });

  it('drops a state that no finished job has', () => {
    expect(from('state=unfinished').state).to.equal('');
  });
});
