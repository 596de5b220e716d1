import { expect } from 'chai';
import { visitAs } from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const BINDINGS = `/apis/rbac.authorization.k8s.io/v1/namespaces/${TEAM}/rolebindings`;

describe('the limit of concurrent lists of bindings, tokens and buckets', () => {
  let project: DashboardProject;
  let waiting: (() => void)[];
  beforeEach(async () => {
    project = await startDashboardProject({ dashboardListsInFlight: 2 });
    waiting = [];
    project.server.respondWith(async (request) => {
      const isList =
        request.method === 'GET' &&
        [BINDINGS, COLLECTIONS.tokens, COLLECTIONS.buckets].includes(request.path);
      if (!isList) return project.objects.respond(request);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      return { metadata: {}, items: [] };
    });
  });
  afterEach(() => project[Symbol.asyncDispose]());

  const PAGES = ['settings', 'tokens', 'buckets', 'new-job', 'first-steps', 'live/first-steps'];
  for (const page of PAGES)
    it(`gives one user at most half of the places, also on ${page}, and gives them back`, async () => {
      const { server, ada } = project;
      server.tokens.set('other', { name: 'other', allowed: ['*'] });
      const other = await visitAs(server, 'other');
      function finish(): void {
        waiting.splice(0).forEach((resolve) => resolve());
      }
      const first = ada.get(`${HOME}/settings`);
      await until('the first list to be read', () => waiting.length === 1);
      const refused = ada.get(`${HOME}/${page}`);
      await Promise.race([refused, until('no other list to be read', () => waiting.length === 2)]);
      expect(waiting).to.have.lengthOf(1);
      const { status, headers, text } = await refused;
      expect([status, headers.get('retry-after')]).to.deep.equal([503, '2']);
      expect(text).to.contain('Too many lists');
      const second = other.get(`${HOME}/buckets`);
      await until('the list of another user to be read', () => waiting.length === 2);
      finish();
      expect([(await first).status, (await second).status]).to.deep.equal([200, 200]);
      const again = ada.get(`${HOME}/settings`);
      await until('the next list to be read', () => waiting.length === 1);
      finish();
      expect((await again).status).to.equal(200);
    });
});
