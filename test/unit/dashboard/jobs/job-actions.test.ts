import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { WebhookState, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { type ActionContext, actionsOf, endpointsToResend } from '#dashboard/jobs/job-actions.ts';
import type { Question } from '#dashboard/user/access.ts';
import { ago, aZipJob, NAMESPACE, UUID } from '#test/support/builders/objects.ts';

function job(status: ZipJobStatus): ZipJob {
  return aZipJob({ status });
}

describe('actionsOf', () => {
  const CONTEXT: ActionContext = {
    rerun: { next: 'run-again', canHelp: true, note: '' },
    downloadObstacle: () => Promise.resolve(''),
  };
  const NEW_JOB: ActionContext = { ...CONTEXT, rerun: { next: 'new-job', canHelp: true, note: 'a note' } };
  function actions(zipJob: ZipJob, refused: readonly string[] = [], context = CONTEXT) {
    async function seemsToBeAllowed(_: string, { verb, resource, name = '' }: Question) {
      const isRefused = [`${verb} ${resource}`, `${verb} ${resource} ${name}`].some((one) =>
        refused.includes(one),
      );
      return { allowed: !isRefused, reason: isRefused ? `no ${verb} ${resource}` : '' };
    }
    return actionsOf({ zipJob, isArchived: false }, { seemsToBeAllowed }, context);
  }
  async function offered(...given: Parameters<typeof actions>) {
    const { main, more } = await actions(...given);
    return [main, ...more].map((action) =>
      action === undefined ? 'none' : `${action.kind}${action.reason === '' ? '' : `: ${action.reason}`}`,
    );
  }
  const delivered = { state: 'Delivered' } as const;
  const failed = job({ phase: 'Failed', webhook: delivered });

  it('has the next step beside the title and the others in a menu (Q-U9)', async () => {
    const again = await actions(failed);
    expect(again).to.include({ isNext: true });
    expect(await offered(failed)).to.deep.equal(['run-again', 'new-job', 'replay-webhook']);
    expect(await offered(failed, [], NEW_JOB)).to.deep.equal(['new-job', 'run-again', 'replay-webhook']);
    expect(await actions(failed, [], NEW_JOB)).to.deep.include({ isNext: true, notes: ['a note'] });
    const done = job({ phase: 'Succeeded', webhook: delivered });
    const nothing = { ...CONTEXT, rerun: { next: undefined, canHelp: true, note: '' } };
    expect(await offered(done, [], nothing)).to.deep.equal([
      'download',
      'run-again',
      'new-job',
      'replay-webhook',
    ]);
    expect(await offered(job({ phase: 'Running' }), [], nothing)).to.deep.equal(['cancel']);
  });

  it('resends a webhook to the endpoints that did not get it, or to all that did', async () => {
    const none = { state: 'NotConfigured' } as const;
    const lost = { state: 'Exhausted' } as const;
    const removed = { state: 'Exhausted', reason: 'EndpointRemoved' } as const;
    function withWebhook(first: WebhookState, audit: WebhookState, billing: WebhookState): ZipJob {
      const endpoints = [
        { name: 'audit', ...audit },
        { name: 'billing', ...billing },
      ];
      return job({ phase: 'Failed', webhook: { ...first, endpoints } });
    }
    expect(endpointsToResend(withWebhook(delivered, lost, none))).to.deep.equal(['audit']);
    expect(endpointsToResend(withWebhook({ state: 'Pending' }, delivered, lost))).to.deep.equal([
      'default',
      'billing',
    ]);
    expect(endpointsToResend(withWebhook(none, delivered, delivered))).to.deep.equal(['audit', 'billing']);
    expect(await offered(withWebhook(none, none, lost))).to.include('replay-webhook');
    expect(await offered(withWebhook(none, none, none))).to.not.include('replay-webhook');
    expect(endpointsToResend(withWebhook(delivered, removed, none))).to.deep.equal(['default']);
  });

  it('offers no rerun that would fail in the same way (Q-U9)', async () => {
    const never = { ...CONTEXT, rerun: { next: 'new-job', canHelp: false, note: 'why' } } as const;
    expect(await offered(failed, [], never)).to.deep.equal(['new-job', 'replay-webhook']);
    expect(await offered(job({ phase: 'Failed' }), ['get secrets'], never)).to.deep.equal(['none']);
    expect((await actions(failed, [], never)).notes).to.deep.equal(['why']);
  });

  it('does not call a rerun the next step while it is none', async () => {
    const later = { ...CONTEXT, rerun: { next: undefined, canHelp: true, note: 'fix it' } };
    expect(await actions(failed, [], later)).to.include({ isNext: false });
    expect((await offered(failed, [], later))[0]).to.equal('run-again');
  });

  it('offers a new job from the list only to a user who may read the list (N22)', async () => {
    const hidden = ['get secrets zip-6f1c0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c-files-0'];
    expect(await offered(failed, hidden, NEW_JOB)).to.deep.equal(['run-again', 'replay-webhook']);
    expect((await offered(failed, ['create secrets'], NEW_JOB))[0]).to.equal('new-job: no create secrets');
    const inline = aZipJob({
      spec: { files: [{ url: 'https://x/', filename: 'x' }] },
      status: { phase: 'Failed' },
    });
    const { filesFrom: _, ...spec } = inline.spec;
    expect((await offered({ ...inline, spec }, ['get secrets'], NEW_JOB))[0]).to.equal('new-job');
  });

  it('opens the form of a new job with the files of this one', async () => {
    expect((await actions(failed, [], NEW_JOB)).main?.href).to.equal(
      `/projects/${NAMESPACE}/new-job?from=${UUID}`,
    );
    const named = aZipJob({ metadata: { name: 'nightly' }, status: { phase: 'Failed' } });
    expect((await actions(named, [], NEW_JOB)).main?.href).to.contain('?from=nightly');
  });

  it('names the missing permission', async () => {
    const refused = ['get secrets s3-archive-bucket', 'patch zipjobs', 'create zipjobs'];
    expect(await offered(job({ phase: 'Running' }), refused)).to.deep.equal(['cancel: no patch zipjobs']);
    expect(
      await offered(job({ phase: 'Succeeded', webhook: delivered }), ['get secrets', ...refused]),
    ).to.deep.equal([
      'download: no get secrets',
      'run-again: no create zipjobs',
      'replay-webhook: no patch zipjobs',
    ]);
  });

  it('explains why a job cannot be cancelled twice, or run again without its file list', async () => {
    const cancelled = aZipJob({ spec: { cancel: true }, status: { phase: 'Running' } });
    const none = { ...CONTEXT, rerun: { next: undefined, canHelp: true, note: '' } };
    expect(await actions(cancelled, [], none)).to.deep.include({
      main: undefined,
      notes: ['The job is already being cancelled.'],
    });
    const withoutFileList = aZipJob({
      metadata: { annotations: { [ANNOTATIONS.fileListDeletedAt]: ago(1) } },
      status: { phase: 'Failed' },
    });
    expect(await actions(withoutFileList, [], NEW_JOB)).to.deep.equal({
      main: undefined,
      isNext: false,
      more: [],
      notes: ['Send the request again: the file list was deleted.'],
    });
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
    expect((await offered(succeeded, ['get secrets'], context))[0]).to.equal('download: no get secrets');
    await offered(job({ phase: 'Failed' }), [], context);
    expect(reads).to.equal(0);
    expect((await actions(succeeded, [], context)).notes).to.deep.equal(['No stored credentials.']);
  });
});
