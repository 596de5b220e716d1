import { expect } from 'chai';
import type { Route } from '#dashboard/http/page.ts';
import { createCountedHistory } from '#test/support/builders/counted-history.ts';
import { dashboardRoutes } from '#test/support/servers/dashboard-routes.ts';
import { FROM_HERE, type Visitor, visitAs } from '#test/support/servers/dashboard-server.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';
import { EDITING_FORMS, OTHER_FORMS } from '#test/support/worlds/editing-forms.ts';

const PARAMS: Readonly<Record<string, string>> = {
  project: TEAM,
  job: 'zip-00000000-0000-4000-8000-000000000000',
  service: 's3',
  bucket: 'reports',
  token: 'one',
  endpoint: 'audit',
};
const STRANGER = 'stranger-token';

function addressOf({ path }: Route): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => PARAMS[name] ?? '');
}

describe('every route of createRoutes', () => {
  let project: DashboardProject;
  let stranger: Visitor;
  let routes: readonly Route[];
  before(async () => {
    project = await startDashboardProject();
    const { server } = project;
    server.tokens.set(STRANGER, { name: 'stranger', allowed: [] });
    stranger = await visitAs(server, STRANGER);
    routes = dashboardRoutes(server);
  });
  after(() => project[Symbol.asyncDispose]());

  function ofProject(): readonly Route[] {
    return routes.filter(({ path }) => path.includes(':project'));
  }
  function changes(): readonly Route[] {
    return routes.filter(({ method }) => method === 'POST');
  }

  /** Statuses by route, and the requests to the API server other than access reviews. */
  async function sendAll(chosen: readonly Route[], send: (route: Route) => Promise<{ status: number }>) {
    const { requests } = project.server;
    const first = requests.length;
    const statuses: Record<string, number> = {};
    for (const route of chosen) statuses[`${route.method} ${route.path}`] = (await send(route)).status;
    const sent = requests.slice(first).filter(({ path }) => !path.endsWith('reviews'));
    return { statuses, sent };
  }
  function all(chosen: readonly Route[], status: number): Readonly<Record<string, number>> {
    return Object.fromEntries(chosen.map(({ method, path }) => [`${method} ${path}`, status]));
  }

  it('is denied to a user without permissions in the project, before anything is read', async () => {
    const csrf = await stranger.csrf('/projects');
    const { statuses, sent } = await sendAll(ofProject(), (route) =>
      route.method === 'GET' ? stranger.get(addressOf(route)) : stranger.post(addressOf(route), { csrf }),
    );
    expect(statuses).to.deep.equal(all(ofProject(), 403));
    expect(sent).to.deep.equal([]);
  });

  it('that changes something is denied to a user who can only view', async () => {
    const csrf = await project.viewer.csrf(HOME);
    const closed = changes().filter(({ path }) => path.includes(':project'));
    const { statuses, sent } = await sendAll(closed, (route) =>
      project.viewer.post(addressOf(route), { csrf }),
    );
    expect(statuses).to.deep.equal(all(closed, 403));
    expect(sent).to.deep.equal([]);
  });

  it('that changes something requires the CSRF token of the session', async () => {
    const stolen = await project.viewer.csrf(HOME);
    for (const fields of [{}, { csrf: '' }, { csrf: stolen }]) {
      const { statuses, sent } = await sendAll(changes(), (route) =>
        project.ada.post(addressOf(route), fields),
      );
      expect(statuses).to.deep.equal(all(changes(), 403));
      expect(sent).to.deep.equal([]);
    }
  });

  it('that changes something refuses a form from another site', async () => {
    const csrf = await project.ada.csrf(HOME);
    for (const headers of [
      { ...FROM_HERE, 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ]) {
      const { statuses, sent } = await sendAll(changes(), (route) =>
        project.ada.post(addressOf(route), { csrf }, headers),
      );
      expect(statuses).to.deep.equal(all(changes(), 403));
      expect(sent).to.deep.equal([]);
    }
  });

  it('that changes something is edited by two users in a test, or edits nothing (UI1)', () => {
    const known = new Set([...EDITING_FORMS.map(({ route }) => route), ...OTHER_FORMS]);
    const posts = dashboardRoutes(project.server, createCountedHistory()).filter(
      ({ method }) => method === 'POST',
    );
    expect(posts.map(({ path }) => path)).to.have.members([...known]);
  });

  it('shows nothing without a session', async () => {
    const guest = project.server.visit();
    const { statuses, sent } = await sendAll(routes, (route) =>
      route.method === 'GET' ? guest.get(addressOf(route)) : guest.post(addressOf(route), {}),
    );
    expect(statuses).to.deep.equal(all(routes, 303));
    expect(sent).to.deep.equal([]);
  });
});
