import { expect } from 'chai';
import { AdministrationError } from '#administration/administration-error.ts';
import { toHistoryApiError } from '#dashboard/history-api/api-error.ts';
import { readListQuery } from '#dashboard/history-api/list-query.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';

describe('readListQuery', () => {
  for (const query of ['service=r2', 'service=gcs', 'finishedAfter=2026-02-30T00:00:00Z'])
    it(`refuses a filter that would select other jobs: ${query}`, () => {
      expect(() => readListQuery(PROJECT, new URLSearchParams(query)))
        .to.throw()
        .that.includes({ code: 'invalid_request' });
    });
});

describe('toHistoryApiError', () => {
  for (const code of ['Unreachable', 'Failed'] as const)
    it(`says that the cluster is unavailable if the API server does not return the project: ${code}`, () => {
      const thrown = new AdministrationError('Cannot get zipprojects at 10.0.0.1', { code });
      const error = toHistoryApiError(thrown, new AbortController().signal);
      expect(error).to.include({ code: 'cluster_unavailable', status: 503 });
      expect(error.message).to.not.contain('10.0.0.1');
    });
});
