import { expect } from 'chai';
import type { Attempt, JobWebhookState, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { stagesOf } from '#dashboard/jobs/stages/job-stages.ts';
import type { Stage } from '#dashboard/jobs/stages/stage.ts';
import { archivedForm } from '#runtime/history/archived-form.ts';
import { ago, aZipJob, NOW } from '#test/support/builders/objects.ts';
import {
  aCondition,
  anUpload,
  finishedAs,
  progressOf,
  recoveringStatus,
  running,
  starting,
} from '#test/support/builders/zip-job-statuses.ts';

/** Seconds before NOW; undefined for a time that is unknown. */
function before(at: string | undefined): number | undefined {
  return at === undefined ? undefined : (NOW.getTime() - Date.parse(at)) / 1000;
}

/** `Attempt 1/Reading failed 35..2`. */
function linesOf(stages: readonly Stage[], parent = ''): readonly string[] {
  return stages.flatMap(({ name, state, start, end, endsEarlier, parts = [] }) => {
    const times = start === undefined && end === undefined ? '' : ` ${before(start)}..${before(end)}`;
    const line = `${parent}${name} ${state}${times}${endsEarlier === true ? ' or earlier' : ''}`;
    return [line, ...linesOf(parts, `${parent}${name}/`)];
  });
}

function linesFor(status?: ZipJobStatus): readonly string[] {
  return linesOf(stagesOf(aZipJob(status === undefined ? {} : { status })));
}

function condition(type: string, of: Parameters<typeof aCondition>[1], seconds: number) {
  return aCondition(type, of, { lastTransitionTime: ago(seconds) });
}

const CREATED = condition('JobCreated', ['True', 'JobCreated'], 50);

function attempt(change: Partial<Attempt>): Attempt {
  return {
    n: 1,
    podUid: 'uid-p1',
    startedAt: ago(45),
    finishedAt: ago(10),
    ...change,
  };
}

describe('stagesOf', () => {
  it('has a job that no controller has seen in the queue', () => {
    expect(linesFor()).to.deep.equal([
      'Queued running 60..undefined',
      'Starting waiting',
      'Attempt 1 waiting',
      'Attempt 1/Reading waiting',
      'Attempt 1/Uploading waiting',
      'Webhook skipped',
    ]);
  });

  it('says what a queued or starting job waits for', () => {
    const [queued] = stagesOf(aZipJob({ status: { phase: 'Queued', message: 'A limit is reached.' } }));
    expect(queued?.detail).to.equal('A limit is reached.');
    const status = { ...starting(), conditions: [CREATED] };
    expect(stagesOf(aZipJob({ status }))[1]).to.deep.equal({
      name: 'Starting',
      state: 'running',
      start: ago(50),
      detail: 'The Kubernetes Job was created.',
    });
  });

  it('follows the active pod of a running job', () => {
    const status = running('p1', {
      conditions: [CREATED, condition('Recovered', ['False', 'PodActive'], 40)],
      upload: anUpload('open'),
    });
    expect(linesFor(status)).to.deep.equal([
      'Queued done 60..50',
      'Starting done 50..35',
      'Attempt 1 running 35..undefined',
      'Attempt 1/Reading running 35..undefined',
      'Attempt 1/Uploading running 35..undefined',
      'Webhook skipped',
    ]);
    const [reading, uploading] = stagesOf(aZipJob({ status }))[2]?.parts ?? [];
    expect([reading?.detail, uploading?.detail]).to.deep.equal([undefined, '500 B uploaded']);
  });

  it('has how much of a running job is done, and when it will end (Q-U6)', () => {
    const progress = { ...progressOf('uid-p1'), bytesTotal: 4_000, estimatedEndAt: ago(-20) };
    const status = running('p1', { conditions: [CREATED], progress });
    function figures(of: ZipJobStatus) {
      const parts = stagesOf(aZipJob({ status: of }))[2]?.parts ?? [];
      return parts.map(({ name, percent, expectedEnd }) => [name, percent, expectedEnd]);
    }
    expect(figures(status)).to.deep.equal([
      ['Reading', 25, ago(-20)],
      ['Uploading', 25, ago(-20)],
    ]);
    const read = { ...progress, filesDone: 3, bytesRead: 4_000 };
    expect(figures({ ...status, progress: read })).to.deep.equal([
      ['Reading', undefined, undefined],
      ['Uploading', 99, ago(-20)],
    ]);
  });

  it('ends reading when every file is read, at the last report of progress at the latest', () => {
    const status = running('p1', { conditions: [CREATED], progress: progressOf('uid-p1', 3) });
    expect(linesFor(status).slice(3, 5)).to.deep.equal([
      'Attempt 1/Reading done 35..5 or earlier',
      'Attempt 1/Uploading running 35..undefined',
    ]);
  });

  it('has every time of a succeeded job', () => {
    const status = finishedAs('Succeeded', {
      conditions: [CREATED, condition('Recovered', ['True', 'Recovered'], 10)],
      attempts: [attempt({ class: 'success', exitCode: 0 })],
      webhook: { state: 'Delivered', deliveredAt: ago(8), attempts: 1 },
    });
    expect(linesFor(status)).to.deep.equal([
      'Queued done 60..50',
      'Starting done 50..35',
      'Attempt 1 done 35..10',
      'Attempt 1/Reading done 35..10 or earlier',
      'Attempt 1/Uploading done 35..10',
      'Webhook done 10..8',
    ]);
  });

  it('has the end of a job whose pod has not exited yet', () => {
    const status = { ...running('p1'), ...finishedAs('Succeeded', { conditions: [CREATED] }) };
    expect(linesFor(status).slice(2, 5)).to.deep.equal([
      'Attempt 1 done 35..10',
      'Attempt 1/Reading done 35..10 or earlier',
      'Attempt 1/Uploading done 35..10',
    ]);
  });

  function failedIn(reason: string, more: Partial<Attempt> = {}): readonly string[] {
    return linesFor(
      finishedAs('Failed', {
        reason,
        conditions: [CREATED, condition('Recovered', ['True', 'NothingToRecover'], 10)],
        attempts: [attempt({ class: 'permanent', exitCode: 12, reason, ...more })],
      }),
    ).slice(2, 6);
  }

  it('fails in the step that the failure is about', () => {
    expect(failedIn('SourceNotFound')).to.deep.equal([
      'Attempt 1 failed 35..10',
      'Attempt 1/Reading failed 35..10',
      'Attempt 1/Uploading stopped 35..10',
      'Attempt 1/Recovering skipped',
    ]);
    expect(failedIn('BucketAccessDenied').slice(1, 3)).to.deep.equal([
      'Attempt 1/Reading stopped 35..10',
      'Attempt 1/Uploading failed 35..10',
    ]);
    expect(failedIn('Internal').slice(1, 3)).to.deep.equal([
      'Attempt 1/Reading stopped 35..10',
      'Attempt 1/Uploading stopped 35..10',
    ]);
  });

  it('has how far a finished attempt came', () => {
    const attempts = [attempt({ class: 'permanent', reason: 'SourceNotFound' })];
    const status = finishedAs('Failed', { conditions: [CREATED], attempts, progress: progressOf('uid-p1') });
    const [reading, uploading] = stagesOf(aZipJob({ status }))[2]?.parts ?? [];
    expect([reading?.detail, uploading?.detail]).to.deep.equal(['1 of 3 files, 1000 B', '500 B uploaded']);
  });

  it('does not invent the start of a step that wrote no progress', () => {
    const { startedAt: _startedAt, ...status } = finishedAs('Failed', {
      reason: 'BucketNotFound',
      conditions: [CREATED],
      attempts: [attempt({ class: 'permanent', exitCode: 13, reason: 'BucketNotFound' })],
    });
    expect(linesFor(status).slice(1, 5)).to.deep.equal([
      'Starting done 50..undefined',
      'Attempt 1 failed 45..10',
      'Attempt 1/Reading skipped',
      'Attempt 1/Uploading failed undefined..10',
    ]);
  });

  it('ends in the queue if the job never had a pod', () => {
    const { startedAt: _startedAt, ...status } = finishedAs('Failed', { reason: 'BucketNotFound' });
    expect(linesFor(status)).to.deep.equal([
      'Queued failed 60..10',
      'Starting skipped',
      'Attempt 1 skipped',
      'Attempt 1/Reading skipped',
      'Attempt 1/Uploading skipped',
      'Webhook skipped',
    ]);
    expect(linesFor({ ...status, phase: 'Cancelled' })[0]).to.equal('Queued stopped 60..10');
    expect(linesFor({ ...status, conditions: [CREATED] })[1]).to.equal('Starting failed 50..10');
  });

  it('nests recovery in the attempt that it recovers', () => {
    expect(linesFor(recoveringStatus(anUpload('committing'))).slice(2, 6)).to.deep.equal([
      'Attempt 1 failed 35..2',
      'Attempt 1/Reading stopped 35..2',
      'Attempt 1/Uploading stopped 35..2',
      'Attempt 1/Recovering running 2..undefined',
    ]);
    const done = condition('Recovered', ['True', 'Recovered'], 1);
    expect(linesFor(recoveringStatus(undefined, { conditions: [done] }))[5]).to.equal(
      'Attempt 1/Recovering done 2..1',
    );
  });

  it('has each attempt, with the words of its end, and the next one', () => {
    const upload = anUpload('open');
    const attempts = [
      attempt({ class: 'disruption', finishedAt: ago(30), upload, reason: 'PodGone', message: 'deleted' }),
      attempt({
        n: 2,
        podUid: 'uid-p2',
        startedAt: ago(28),
        finishedAt: ago(20),
        class: 'transient',
        exitCode: 32,
        reason: 'StoreUnavailable',
        message: 'HTTP 503',
      }),
    ];
    const conditions = [CREATED, condition('Recovered', ['True', 'Recovered'], 15)];
    const { job: _job, progress: _progress, ...rest } = running('p3', { attempts, conditions });
    const stages = stagesOf(aZipJob({ status: rest }));
    expect(linesOf(stages).filter((line) => !line.includes('/'))).to.deep.equal([
      'Queued done 60..50',
      'Starting done 50..35',
      'Attempt 1 stopped 35..30',
      'Attempt 2 failed 28..20',
      'Attempt 3 waiting',
      'Webhook skipped',
    ]);
    // When the recovery of an earlier attempt ended is not recorded.
    expect(linesOf(stages)).to.include('Attempt 1/Recovering done 30..undefined');
    expect(linesOf(stages)).to.include('Attempt 2/Recovering done 20..15');
    expect(stages.map(({ detail }) => detail).slice(2, 4)).to.deep.equal([
      'PodGone: deleted',
      'StoreUnavailable, exit code 32: HTTP 503',
    ]);
  });

  describe('of a job whose upload is kept', () => {
    const first = attempt({
      class: 'disruption',
      exitCode: 38,
      reason: 'Terminated',
      upload: anUpload('open'),
    });
    const inherits = {
      uploadId: 'upload-1',
      owner: 'uid-p1',
      partSize: 8_388_608,
      checkpoint: 3,
      resumes: 0,
    };

    function keptIn(status: ZipJobStatus): readonly (readonly [string, string | undefined])[] {
      const stages = stagesOf(aZipJob({ status }));
      return stages.flatMap(({ name, kept }) => (name.startsWith('Attempt') ? [[name, kept] as const] : []));
    }

    it('says that the next pod continues it, without a recovery', () => {
      const conditions = [CREATED, condition('Recovered', ['True', 'Inherited'], 10)];
      const { job: _job, ...rest } = running('p2', { attempts: [first], inherits, conditions });
      expect(linesFor(rest).slice(2, 8)).to.deep.equal([
        'Attempt 1 stopped 35..10',
        'Attempt 1/Reading stopped 35..10',
        'Attempt 1/Uploading stopped 35..10',
        'Attempt 2 waiting',
        'Attempt 2/Reading waiting',
        'Attempt 2/Uploading waiting',
      ]);
      expect(keptIn(rest)).to.deep.equal([
        ['Attempt 1', ''],
        ['Attempt 2', 'Waits for the next pod; the upload of attempt 1 is kept'],
      ]);
    });

    it('shows the recovery of a job that ends before the next pod', () => {
      const conditions = [CREATED, condition('Recovered', ['False', 'Recovering'], 5)];
      const { job: _job, ...rest } = running('p2', { attempts: [first], inherits, conditions });
      expect(linesFor({ ...rest, phase: 'Finalizing' })).to.include(
        'Attempt 1/Recovering running 10..undefined',
      );
    });

    it('says what the active pod continues, and counts only its own work', () => {
      const upload = { ...anUpload('open'), owner: 'uid-p1', resumedParts: 12, resumedBytes: 2_048 };
      const progress = { ...progressOf('uid-p2'), bytesTotal: 4_096, bytesRead: 3_072 };
      const status = running('p2', { attempts: [first], inherits, upload, progress });
      expect(keptIn(status)).to.deep.equal([
        ['Attempt 1', ''],
        ['Attempt 2', 'Continues the upload of attempt 1: 12 parts, 2.0 KiB kept'],
      ]);
      const [, second] = stagesOf(aZipJob({ status })).filter(({ name }) => name.startsWith('Attempt'));
      expect(second?.parts?.[1]).to.include({ percent: 75, keptPercent: 50 });
      expect(linesFor(status).join()).not.to.contain('Recovering');
    });

    it('has what each attempt kept once they have ended, or why it kept nothing', () => {
      const upload = anUpload('open');
      const attempts = [
        first,
        attempt({ n: 2, podUid: 'uid-p2', upload, resumedParts: 12, resumedBytes: 2_048 }),
        attempt({ n: 3, podUid: 'uid-p3', upload: { ...upload, uploadId: 'b' }, refusal: 'UploadGone' }),
      ];
      const status = finishedAs('Succeeded', { attempts });
      expect(keptIn(status)).to.deep.equal([
        ['Attempt 1', ''],
        ['Attempt 2', 'Continued: 12 parts, 2.0 KiB kept'],
        ['Attempt 3', 'Not continued: The store no longer has the upload.'],
      ]);
      // The upload of the second attempt was given up, and that of the first became the second's.
      expect(linesFor(status).filter((line) => line.includes('Recovering'))).to.deep.equal([
        'Attempt 2/Recovering done 10..undefined',
        'Attempt 3/Recovering done 10..undefined',
      ]);
    });
  });

  it('does not know when a second attempt wrote its first progress', () => {
    const attempts = [attempt({ class: 'transient', finishedAt: ago(30) })];
    const conditions = [CREATED, condition('Recovered', ['False', 'PodActive'], 25)];
    expect(linesFor(running('p2', { attempts, conditions })).slice(5, 8)).to.deep.equal([
      'Attempt 2 running 25..undefined',
      'Attempt 2/Reading running',
      'Attempt 2/Uploading running',
    ]);
  });

  describe('the webhook', () => {
    const log = [
      { at: ago(9), durationMs: 1_200, error: 'timeout' },
      { at: ago(5), durationMs: 8, attempt: 5, status: 204 },
    ];
    function webhookOf(webhook: JobWebhookState): Stage | undefined {
      return stagesOf(aZipJob({ status: finishedAs('Failed', { webhook }) })).at(-1);
    }

    it('ends with its delivery, or with the end of the last one', () => {
      const delivered = webhookOf({ state: 'Delivered', attempts: 5, deliveredAt: ago(5), log });
      const exhausted = webhookOf({ state: 'Exhausted', attempts: 5, log });
      expect(linesOf([delivered, exhausted].flatMap((stage) => stage ?? []))).to.deep.equal([
        'Webhook done 10..5',
        'Webhook failed 10..4.992',
      ]);
    });

    it('lasts until every endpoint has the event, or no attempts are left', () => {
      const first = { state: 'Delivered', deliveredAt: ago(9), log: [] } as const;
      const slow = { name: 'slow', state: 'Delivered', deliveredAt: ago(4), log: [] } as const;
      const stages = [
        webhookOf({ ...first, endpoints: [slow] }),
        webhookOf({ ...first, endpoints: [{ ...slow, state: 'Pending' }] }),
        webhookOf({ ...first, endpoints: [{ ...slow, state: 'Exhausted' }] }),
      ];
      expect(linesOf(stages.flatMap((stage) => stage ?? []))).to.deep.equal([
        'Webhook done 10..4',
        'Webhook running 10..undefined',
        'Webhook failed 10..4',
      ]);
    });

    it('is running until it is delivered or exhausted', () => {
      expect(
        linesOf([webhookOf({ state: 'Pending', attempts: 2, log }) ?? { name: '', state: 'done' }])[0],
      ).to.equal('Webhook running 10..undefined');
      expect(webhookOf({ state: 'Exhausted', attempts: 2, log })).to.include({ state: 'failed' });
      expect(webhookOf({ state: 'NotConfigured' })).to.include({ state: 'skipped' });
    });

    it('is waiting while the job runs', () => {
      const webhook = { url: 'https://hooks.example/', events: ['COMPLETED'] } as const;
      const job = aZipJob({ spec: { webhook }, status: { phase: 'Running' } });
      expect(stagesOf(job).at(-1)?.state).to.equal('waiting');
    });
  });

  it('is the same for the archived form of a finished job', () => {
    const zipJob: ZipJob = aZipJob({
      status: finishedAs('Failed', {
        conditions: [CREATED, condition('Recovered', ['True', 'Recovered'], 12)],
        attempts: [attempt({ class: 'oom', reason: 'OOMKilled', upload: anUpload('open') })],
        webhook: {
          state: 'Delivered',
          deliveredAt: ago(8),
          log: [{ at: ago(9), durationMs: 8, status: 200 }],
        },
      }),
    });
    expect(stagesOf(archivedForm(zipJob))).to.deep.equal(stagesOf(zipJob));
  });
});
