import { expect } from 'chai';
import { startDashboardServer } from '#test/support/servers/dashboard-server.ts';

const AUTHORIZATION_URL = 'https://identity.example/auth';
const PENDING = { state: 'state', nonce: 'nonce', verifier: 'verifier' };

/** Two sign-ins per minute; counts the sign-ins that started. */
async function startDashboard() {
  let started = 0;
  const server = await startDashboardServer({
    env: { DASHBOARD_SIGN_INS_PER_MINUTE: '2' },
    provider: {
      begin: () => {
        started += 1;
        return Promise.resolve({ url: AUTHORIZATION_URL, pending: PENDING });
      },
      finish: () => Promise.reject(new Error('not used')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
  return { server, started: () => started, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('GET /sign-in/oidc', () => {
  const embedded: readonly Readonly<Record<string, string>>[] = [
    ...['image', 'script', 'style', 'empty', 'iframe', 'frame', 'object', 'embed', 'video', 'Image', 'x'].map(
      (destination) => ({ 'sec-fetch-dest': destination }),
    ),
    { 'sec-fetch-dest': 'document', 'sec-purpose': 'prefetch' },
    { 'sec-fetch-dest': 'document', 'sec-purpose': 'prefetch;prerender' },
  ];
  for (const headers of embedded)
    it(`refuses requests that are no navigation, without counting them: ${Object.values(headers).join(' ')} (N32)`, async () => {
      await using dashboard = await startDashboard();
      const visitor = dashboard.server.visit();
      for (let n = 0; n < 3; n += 1) {
        const response = await visitor.get('/sign-in/oidc', { 'sec-fetch-site': 'cross-site', ...headers });
        expect(response.status).to.equal(403);
      }
      expect(dashboard.started()).to.equal(0);
      expect(visitor.cookies.size).to.equal(0);
      const clicked = await visitor.get('/sign-in/oidc', { 'sec-fetch-dest': 'document' });
      expect([clicked.status, clicked.headers.get('location')]).to.deep.equal([303, AUTHORIZATION_URL]);
    });

  for (const headers of [{ 'sec-fetch-dest': 'document' }, {}] as const)
    it(`counts navigations and requests without the header: ${JSON.stringify(headers)} (N32)`, async () => {
      await using dashboard = await startDashboard();
      const statuses: number[] = [];
      for (let n = 0; n < 3; n += 1)
        statuses.push((await dashboard.server.visit().get('/sign-in/oidc', headers)).status);
      expect(statuses).to.deep.equal([303, 303, 429]);
    });
});
