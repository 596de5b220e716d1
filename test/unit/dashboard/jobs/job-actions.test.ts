import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { actionsOf } from '#dashboard/jobs/job-actions.ts';
import type { Question } from '#dashboard/user/access.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';

function job(status: ZipJobStatus): ZipJob {
  return aZipJob({ status });
}

describe('actionsOf', () => {
  const CONTEXT = {
    rerun: { isPrimary: true, note: 'a note' },
    downloadObstacle: () => Promise.resolve(''),
  };
  async function offered(zipJob: ZipJob, refused: readonly string[] = [], context = CONTEXT) {
    async function seemsToBeAllowed(_: string, { verb, resource }: Question) {
      const allowed = !refused.includes(`${verb} ${resource}`);
      return { allowed, reason: allowed ? '' : `no ${verb} ${resource}` };
    }
    const actions = await actionsOf({ zipJob, isArchived: false }, { seemsToBeAllowed }, context);
    return Object.fromEntries(actions.map(({ kind, reason, obstacle }) => [kind, reason || obstacle]));
  }
  const delivered = { state: 'Delivered' } as const;

  it('emphasises the next step only', async () => {
    function seemsToBeAllowed() {
      return Promise.resolve({ allowed: true, reason: '' });
    }
    const status = { phase: 'Failed', webhook: delivered } as const;
    const found = { zipJob: job(status), isArchived: false };
    const actions = await actionsOf(found, { seemsToBeAllowed }, CONTEXT);
    expect(actions.map(({ kind, isPrimary, note }) => [kind, isPrimary, note])).to.deep.equal([
      ['run-again', true, 'a note'],
      ['replay-webhook', false, ''],
    ]);
  });

  it('offers the actions that the state of the job allows', async () => {
    expect(await offered(job({ phase: 'Running' }))).to.deep.equal({ cancel: '' });
    expect(await offered(job({ phase: 'Succeeded', webhook: delivered }))).to.deep.equal({
      download: '',
      'run-again': '',
      'replay-webhook': '',
    });
    expect(await offered(job({ phase: 'Failed', webhook: { state: 'NotConfigured' } }))).to.deep.equal({
      'run-again': '',
    });
  });

  it('names the missing permission', async () => {
    const refused = ['get secrets', 'patch zipjobs', 'create zipjobs'];
    expect(await offered(job({ phase: 'Running' }), refused)).to.deep.equal({ cancel: 'no patch zipjobs' });
    expect(await offered(job({ phase: 'Succeeded', webhook: delivered }), refused)).to.deep.equal({
      download: 'no get secrets',
      'run-again': 'no create zipjobs',
      'replay-webhook': 'no patch zipjobs',
    });
  });

  it('explains why a job cannot be cancelled twice, or run again without its file list', async () => {
    const cancelled = aZipJob({ spec: { cancel: true }, status: { phase: 'Running' } });
    expect(await offered(cancelled)).to.deep.equal({ cancel: 'The job is already being cancelled.' });
    const withoutFileList = aZipJob({
      metadata: { annotations: { [ANNOTATIONS.fileListDeletedAt]: ago(1) } },
      status: { phase: 'Failed' },
    });
    expect((await offered(withoutFileList))['run-again']).to.equal(
      'Send the request again: the file list was deleted.',
    );
  });

  it('explains why an archive cannot be downloaded, after the permissions for it', async () => {
    let reads = 0;
    const context = {
      ...CONTEXT,
      downloadObstacle: () => {
        reads += 1;
        return Promise.resolve('No stored credentials.');
      },
    };
    const succeeded = job({ phase: 'Succeeded' });
    expect(await offered(succeeded, ['get secrets'], context)).to.include({ download: 'no get secrets' });
    expect(await offered(job({ phase: 'Failed' }), [], context)).to.deep.equal({ 'run-again': '' });
    expect(reads).to.equal(0);
    expect(await offered(succeeded, [], context)).to.include({ download: 'No stored credentials.' });
  });
});
