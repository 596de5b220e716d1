import { connect } from 'node:net';
import { expect } from 'chai';
import {
  createVisitor,
  type DashboardServer,
  startDashboardServer,
} from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';

/** Posts a form whose last bytes never arrive. */
function openForm({ url }: DashboardServer, bytes: number): Disposable {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      `POST /sign-in HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: same-origin\r\nOrigin: null\r\n` +
        `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${bytes + 1}\r\n\r\n${'a'.repeat(bytes)}`,
    ),
  );
  socket.on('error', () => undefined).resume();
  return {
    [Symbol.dispose]: () => {
      socket.destroy();
    },
  };
}

const ENV = { DASHBOARD_ALLOW_HTTP: 'true', TRUSTED_PROXIES: '127.0.0.0/8' };
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.7' };

describe('the limits of the dashboard', () => {
  it('let one client hold at most half of the concurrent requests (N7)', async () => {
    await using dashboard = await startDashboardServer({
      env: { ...ENV, dashboardRequestsInFlight: 8 },
    });
    const visitor = createVisitor(dashboard.url);
    using held = new DisposableStack();
    for (let count = 0; count < 4; count += 1) held.use(openForm(dashboard, 1));
    await until('the client to be refused', async () => (await visitor.get('/sign-in')).status === 503);
    const refused = await visitor.get('/sign-in');
    expect(refused.headers.get('retry-after')).to.equal('2');
    expect(refused.text).to.contain('The dashboard is busy');
    expect((await visitor.get('/sign-in', ELSEWHERE)).status).to.equal(200);
    held.dispose();
    await until('the client to be served', async () => (await visitor.get('/sign-in')).status === 200);
  });

  it('count the bytes of posted forms as they arrive (N7)', async () => {
    await using dashboard = await startDashboardServer({
      env: { ...ENV, dashboardFormBytesInFlight: 20_000 },
    });
    const visitor = createVisitor(dashboard.url);
    function signIn(headers: Readonly<Record<string, string>> = {}) {
      return visitor.post(
        '/sign-in',
        { token: 'x'.repeat(3_000) },
        { 'sec-fetch-site': 'same-origin', origin: 'null', ...headers },
      );
    }
    using _held = openForm(dashboard, 8_000);
    await until('the form to be refused', async () => (await signIn()).status === 503);
    expect((await signIn(ELSEWHERE)).status).to.not.equal(503);
    expect((await visitor.get('/sign-in')).status).to.equal(200);
  });
});
