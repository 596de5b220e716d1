import { expect } from 'chai';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { ADA, startDashboardServer, visitAs } from '#test/support/servers/dashboard-server.ts';

const LINKS = [
  { title: 'Logs <Loki>', url: 'https://loki.example.com/?q={pod}&n={namespace}' },
  { title: 'Metrics', url: 'https://grafana.example.com/d/zipjobs?var-project={namespace}' },
];

function anchor(href: string, title: string): string {
  return `<a href="${href}" rel="external noreferrer"><bdi>${title}</bdi></a>`;
}

describe('links to other systems on pages', () => {
  it('are on the page of a job if they name it, and on that of its project otherwise, escaped (Q-O10)', async () => {
    await using server = await startDashboardServer({ env: { DASHBOARD_LINKS_JSON: JSON.stringify(LINKS) } });
    server.tokens.set(ADA, { name: 'ada', allowed: ['*'] });
    server.zipProjects.put(aProject(NAMESPACE));
    const job = aZipJob({
      status: { phase: 'Running', job: { name: NAME, uid: 'job-uid', podName: 'zip-pod' } },
    });
    server.zipJobs.put(job);
    server.respondWith(() => job);
    const visitor = await visitAs(server, ADA);
    const logs = anchor(`https://loki.example.com/?q=zip-pod&amp;n=${NAMESPACE}`, 'Logs &lt;Loki&gt;');
    const metrics = anchor(`https://grafana.example.com/d/zipjobs?var-project=${NAMESPACE}`, 'Metrics');
    const ofJob = await visitor.get(`/projects/${NAMESPACE}/jobs/${NAME}`);
    expect(ofJob.text).to.contain(logs).and.not.to.contain(metrics);
    const live = await visitor.get(`/projects/${NAMESPACE}/live/jobs/${NAME}`);
    expect(live.text).to.contain(logs);
    const ofProject = await visitor.get(`/projects/${NAMESPACE}`);
    expect(ofProject.text).to.contain(metrics).and.not.to.contain(logs);
  });
});
