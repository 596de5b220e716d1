import { expect } from 'chai';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { toHistoryApiError } from '#dashboard/history/api-error.ts';
import { readListQuery } from '#dashboard/history/list-query.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';

describe('readListQuery', () => {
  it('reads reasons and the token that created the job', () => {
    const params = new URLSearchParams({ reason: 'SourceNotFound,OutOfMemory', token: 'ci-k7x2mq' });
    expect(readListQuery(PROJECT, params).filter).to.deep.equal({
      projectUid: PROJECT,
      reasons: ['SourceNotFound', 'OutOfMemory'],
      createdBy: 'ci-k7x2mq',
    });
  });

  for (const [query, message] of [
    ['reason=', /^reason must be one or more reasons such as SourceNotFound, separated by commas$/],
    ['reason=SourceNotFound,', /^reason must be/],
    ['reason=not found', /^reason must be/],
    [`reason=${'a'.repeat(65)}`, /^reason must be/],
    ['token=', /^token must be the ID of an access token, such as ci-k7x2mq$/],
    ['token=My token', /^token must be/],
    ['token=zj_ABC', /^token must be/],
    [`token=${'a'.repeat(254)}`, /^token must be/],
  ] as const)
    it(`refuses ${query.slice(0, 40)}`, () => {
      function read() {
        return readListQuery(PROJECT, new URLSearchParams(query));
      }
      expect(read).to.throw(message).with.property('code', 'invalid_request');
    });

  for (const query of ['service=r2', 'service=gcs', 'finishedAfter=2026-02-30T00:00:00Z'])
    it(`refuses a filter that would select other jobs: ${query}`, () => {
      expect(() => readListQuery(PROJECT, new URLSearchParams(query)))
        .to.throw()
        .that.includes({ code: 'invalid_request' });
    });
});

describe('toHistoryApiError', () => {
  it('says that the cluster is unavailable if the API server does not return the project', () => {
    const thrown = new AdministrationError('Cannot get zipprojects at 10.0.0.1', { code: 'Unreachable' });
    const error = toHistoryApiError(thrown);
    expect(error).to.include({ code: 'cluster_unavailable', status: 503 });
    expect(error.message).to.not.contain('10.0.0.1');
  });
});
