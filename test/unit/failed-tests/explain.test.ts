import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { NOW } from '#test/support/builders/objects.ts';
import { explain } from '#test/support/failed-tests/explain.ts';

const window = { fileFrom: NOW.getTime() - 60_000, from: NOW.getTime() - 10_000, to: NOW.getTime() };

describe('explain', () => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'zipjobs-explain-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const writeLog = async (pod: string, container: string, text: string): Promise<void> => {
    await mkdir(join(dir, 'pods', pod), { recursive: true });
    await writeFile(join(dir, 'pods', pod, `${container}.log`), text);
  };

  it('prints logs without secrets if there is no API server', async () => {
    const time = new Date(NOW.getTime() - 5_000).toISOString();
    const message = 'GET https://a.example/b?sig=sesame';
    await writeLog(
      'team-a_zip-1-abcde_u1',
      'zipper',
      `${JSON.stringify({ time, level: 'error', message })}\n`,
    );
    await writeLog('zipjobs-system_zipjobs-controller-1_u2', 'controller', 'Killed\n');
    const [state, ...logs] = await explain(dir, window);
    expect(state).to.match(/^The state of the cluster is unknown: ENOENT/);
    expect(logs).to.deep.equal([
      'Log of zip-1-abcde zipper',
      '  11:59:55.000 error GET https://a.example/b?[redacted]',
      'Log of zipjobs-controller-1 controller',
      '  Killed',
    ]);
  });

  it('prints logs without waiting for an API server that does not respond', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const clusters = [{ cluster: { server: `https://127.0.0.1:${port}` } }];
    await writeFile(join(dir, 'admin.kubeconfig'), JSON.stringify({ clusters }));
    await mkdir(join(dir, 'certificates'));
    for (const name of ['ca.crt', 'admin.crt', 'admin.key'])
      await writeFile(join(dir, 'certificates', name), '');
    await writeLog('zipjobs-system_zipjobs-api-1_u2', 'api', 'Killed\n');
    expect(await explain(dir, window, 500)).to.deep.equal([
      'The state of the cluster is unknown: no response within 0.3 s',
      'Log of zipjobs-api-1 api',
      '  Killed',
    ]);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('prints one line if there is nothing to read', async () => {
    const lines = await explain(join(dir, 'gone'), window);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^No explanation: ENOENT/);
  });

  it('never exceeds its line limit', async () => {
    const many = Array.from({ length: 100 }, (_, n) => `line ${n}`).join('\n');
    for (let n = 0; n < 20; n += 1) await writeLog(`team-a_zip-${n}-a_u`, 'zipper', many);
    expect((await explain(dir, window)).length).to.be.within(100, 200);
  });
});
