import { expect } from 'chai';
import { aFinishedJob, idOf } from '#test/support/builders/archived-jobs.ts';
import { aZipBucket } from '#test/support/builders/objects.ts';
import { COLLECTIONS, HOME } from '#test/support/worlds/dashboard-project.ts';
import { useDashboardHistory } from '#test/support/worlds/use-dashboard-history.ts';

describe('the page of an archived job', function () {
  this.timeout(60_000);
  const world = useDashboardHistory();

  it('shows an archived job, and says what is gone', async () => {
    await world.dashboard.archive(
      aFinishedJob(1, { bucket: 's3-archive', spec: { metadata: '{"order": 1.0}' } }),
    );
    world.dashboard.putBucket(aZipBucket());
    for (const name of [idOf(1), `zip-${idOf(1)}`]) {
      const { status, text } = await world.dashboard.ada.get(`${HOME}/jobs/${name}`);
      expect(status).to.equal(200);
      expect(text).to.contain('This job is from the history').and.contain('{&quot;order&quot;: 1.0}');
      expect(text).to.contain('logs are no longer available');
      expect(text).to.contain(`href="${HOME}/jobs/${idOf(1)}/download"`);
      expect(text)
        .to.not.contain('Run again')
        .and.not.contain('Resend webhook')
        .and.not.contain('data-live=');
    }
  });

  it('never asks to run an archived job again', async () => {
    const status = { phase: 'Failed', reason: 'SourceUnavailable' } as const;
    await world.dashboard.archive(aFinishedJob(1, { status }));
    const { text } = await world.dashboard.ada.get(`${HOME}/jobs/${idOf(1)}`);
    expect(text)
      .to.contain('Wait until the source has recovered, then send the request again.')
      .and.not.contain('run the job again');
  });

  it('prefers the ZipJob in the cluster', async () => {
    const job = aFinishedJob(1);
    await world.dashboard.archive(job);
    world.dashboard.objects.put(COLLECTIONS.zipJobs, job);
    const { text } = await world.dashboard.ada.get(`${HOME}/jobs/${idOf(1)}`);
    expect(text).to.contain('Run again').and.not.contain('This job is from the history');
  });

  it('finds the ZipJob of a job that the API did not create by its ID', async () => {
    const job = aFinishedJob(1);
    const named = { ...job, metadata: { ...job.metadata, name: 'nightly' } };
    await world.dashboard.archive(named);
    const path = `${HOME}/jobs/${named.metadata.uid}`;
    expect((await world.dashboard.ada.get(path)).text).to.contain('This job is from the history');
    world.dashboard.objects.put(COLLECTIONS.zipJobs, named);
    expect((await world.dashboard.ada.get(path)).text).to.not.contain('This job is from the history');
    // Another job of the same name.
    world.dashboard.objects.put(COLLECTIONS.zipJobs, {
      ...named,
      metadata: { ...named.metadata, uid: idOf(7) },
    });
    expect((await world.dashboard.ada.get(path)).text).to.contain('This job is from the history');
  });

  it('reports an unknown job as not found', async () => {
    expect((await world.dashboard.ada.get(`${HOME}/jobs/${idOf(9)}`)).status).to.equal(404);
    expect((await world.dashboard.ada.get(`${HOME}/jobs/some-name`)).status).to.equal(404);
  });
});
