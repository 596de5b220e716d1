/** Short histories for the tests of the checker. */
import { apiStatusOf, type Phase } from '#crds/zip-job.ts';
import { checkHistory } from '#test/chaos/check-history.ts';
import type { JobOutcome } from '#test/chaos/check-job.ts';
import type { Place, Seen } from '#test/chaos/observations.ts';

export const UUID = 'c0ffee';
export const ENTRIES = { first: 'a', second: 'b' };

export function sight(phase: Phase, reason = '', finishedAt?: string): Seen {
  return {
    kind: 'zip-job',
    at: 0,
    event: 'MODIFIED',
    name: `zip-${UUID}`,
    key: 'k.zip',
    phase,
    apiStatus: apiStatusOf(phase),
    reason,
    finishedAt,
    isPodActive: false,
    isRecorded: true,
  };
}

/** The same event while the pod has not exited. */
export function withPod(seen: Seen): Seen {
  return seen.kind === 'zip-job' ? { ...seen, isPodActive: true, isRecorded: false } : seen;
}

/** The same event for another job. */
export function of(uuid: string, seen: Seen, key = 'k.zip'): Seen {
  return seen.kind === 'zip-job' ? { ...seen, name: `zip-${uuid}`, key } : seen;
}

export function post(
  place: Place,
  path: string,
  more: Partial<Extract<Seen, { kind: 'exchange' }>> = {},
): Seen {
  return {
    kind: 'exchange',
    place,
    at: 0,
    endedAt: 0,
    request: { method: 'POST', path, headers: {}, actor: undefined },
    status: 200,
    notes: {},
    ...more,
  };
}

/** The zipper's write of its upload state. */
export function record(uploadId: string, upload: 'open' | 'committing', uuid = UUID): Seen {
  return post('api-server', `/apis/x/namespaces/n/zipjobs/zip-${uuid}/status`, {
    request: {
      method: 'PATCH',
      path: `/apis/x/namespaces/n/zipjobs/zip-${uuid}/status`,
      headers: {},
      actor: undefined,
    },
    notes: { uploadId, upload },
  });
}

export function part(uploadId: string): Seen {
  return post('store', `/bucket/k.zip?partNumber=1&uploadId=${uploadId}`, {
    request: {
      method: 'PUT',
      path: `/bucket/k.zip?partNumber=1&uploadId=${uploadId}`,
      headers: {},
      actor: undefined,
    },
  });
}

export function complete(uploadId: string): Seen {
  return post('store', `/bucket/k.zip?uploadId=${uploadId}`);
}

/** A complete, correct upload. */
export function uploaded(uploadId: string, uuid = UUID): readonly Seen[] {
  return [
    record(uploadId, 'open', uuid),
    part(uploadId),
    record(uploadId, 'committing', uuid),
    complete(uploadId),
  ];
}

export function delivery(webhookId: string, status: string, zipId = UUID): Seen {
  return post('receiver', '/', { notes: { webhookId, zipId, status } });
}

export function outcome(more: Partial<JobOutcome> = {}): JobOutcome {
  return {
    uuid: UUID,
    kind: 'ordinary',
    key: 'k.zip',
    sources: ['/gen/1/1', '/gen/1/2'],
    expected: ENTRIES,
    object: ENTRIES,
    before: 'nothing',
    jobsDeleted: 0,
    ...more,
  };
}

/** The outcome of a job whose second source is missing. */
export function missing(more: Partial<JobOutcome> = {}): JobOutcome {
  return outcome({ kind: 'missing', ...more });
}

/** The rules that this history breaks. Events are one second apart by default. */
export function rules(
  history: readonly Seen[],
  jobs: JobOutcome | readonly JobOutcome[] = outcome(),
  { openUploads = [], stepMs = 1_000 }: { openUploads?: readonly string[]; stepMs?: number } = {},
): readonly string[] {
  const seen = history.map((one, index) => ({ ...one, at: index * stepMs, endedAt: index * stepMs + 1 }));
  const list = 'uuid' in jobs ? [jobs] : jobs;
  const keys = list.map(({ key }) => key);
  return checkHistory(seen, { jobs: list, keys, openUploads }).violations.map(({ rule }) => rule);
}

export const SUCCEEDED: readonly Seen[] = [
  sight('Queued'),
  sight('Running'),
  ...uploaded('u1'),
  sight('Succeeded', 'Uploaded', 't1'),
  delivery('m1', 'succeeded'),
];

export const FAILED: readonly Seen[] = [
  sight('Running'),
  sight('Failed', 'SourceNotFound', 't1'),
  delivery('m1', 'failed'),
];
