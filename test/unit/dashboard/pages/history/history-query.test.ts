import { expect } from 'chai';
import {
  fromJobQuery,
  historyFilter,
  isFiltered,
  readHistoryQuery,
  writeHistoryQuery,
} from '#dashboard/pages/history/history-query.ts';
import { readJobQuery } from '#dashboard/pages/jobs/job-query.ts';

const ID = '0198b5a0-0000-7000-8000-000000000001';
const read = (query: string) => readHistoryQuery(new URLSearchParams(query));
const filterOf = (query: string) => historyFilter('project-uid', read(query).query);

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
    expect(read('from=2026-02-02&to=2026-02-01').errors.to).to.equal('The last day is before the first.');
    expect(read('from=2026-02-01&to=2026-02-01').errors).to.deep.equal({});
  });

  it('does not count the start of a page as a filter', () => {
    expect(isFiltered(read('after=abc').query)).to.equal(false);
    expect(isFiltered(read('token=ci').query)).to.equal(true);
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
  const from = (query: string) => fromJobQuery(readJobQuery(new URLSearchParams(query)).query, now);

  it('repeats a search of the list of jobs', () => {
    expect(from('q=report&state=Failed&bucket=r2-cold&within=24h')).to.deep.equal({
      q: '*report*',
      state: 'Failed',
      bucket: 'r2/cold',
      from: '2026-02-02',
    });
    expect(from(`q=${ID}`).q).to.equal(ID);
  });

  it('drops a state that no finished job has', () => {
    expect(from('state=unfinished')).to.deep.equal({ q: '', state: '', bucket: '', from: '' });
  });
});
