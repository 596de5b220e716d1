/** Runs the commands of the README's section "Use it" as written, from project to archive. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { compileCacheEnv } from '#test/support/processes/compile-cache-env.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import {
  startWebhookReceiver,
  verifyDelivery,
  type WebhookReceiver,
} from '#test/support/servers/webhook-receiver.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';

const run = promisify(execFile);

const LIMIT_MS = 5 * 60_000;

/** The commands of a section, in order. */
async function commandsOf(heading: string): Promise<string> {
  const text = await readFile('README.md', 'utf8');
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands).join('\n');
}

describe('the section "Use it" of the README', function () {
  this.timeout(LIMIT_MS);
  let home: string;
  let origin: FileOrigin;
  let receiver: WebhookReceiver;
  const life = new AsyncDisposableStack();

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'readme-'));
    life.defer(() => rm(home, { recursive: true }));
    origin = life.use(await startFileOrigin());
    receiver = life.use(await startWebhookReceiver());
  });
  after(() => life.disposeAsync());

  it('creates an archive once its addresses are replaced', async function () {
    await requirePrograms(this, ['curl']);
    const cluster = await sharedCluster();
    const apiUrl = await (await sharedInstallation()).apiUrl();
    const { store } = cluster;
    // What the reader has: access to a cluster, a bucket with credentials, a webhook receiver, and two files.
    await mkdir(join(home, '.kube'));
    await writeFile(join(home, '.kube', 'config'), await readFile(cluster.kubeconfigPath));
    await cluster.createBucket('reports');
    const { accessKeyId, secretAccessKey } = store;
    await writeFile(join(home, 'reports-credentials.json'), JSON.stringify({ accessKeyId, secretAccessKey }));
    const addresses: readonly (readonly [documented: string, here: string])[] = [
      ['https://zips.example.com', apiUrl],
      ['--region us-east-1', `--region us-east-1 --endpoint ${store.endpoint}`],
      ['https://acme.example.com/hooks/zipjobs', receiver.url],
      ['https://example.com/a.pdf', origin.url('/gen/1000/1')],
      ['https://example.com/b.pdf', origin.url('/gen/2000/2')],
    ];
    let commands = await commandsOf('Use it');
    for (const [documented, here] of addresses) {
      expect(commands).to.contain(documented);
      commands = commands.replaceAll(documented, here);
    }
    expect(commands).not.to.contain('example.com');
    const env = { PATH: process.env['PATH'], HOME: home, ...compileCacheEnv() };
    const { stdout, stderr } = await run('sh', ['-euc', commands], { env, timeout: LIMIT_MS });

    using bucket = createBucketReader(store, 'reports');
    const { entries } = readZip(await bucket.bytes('2026/q1.zip'));
    expect(entries.map(({ name }) => name)).to.deep.equal(['a.pdf', 'more/b.pdf']);
    expect(entries.map((entry) => contentOf(entry).length)).to.deep.equal([1000, 2000]);
    // The response that the README shows.
    expect(stdout).to.match(
      /\{"data":\{"uuid":"[-0-9a-f]{36}","status":"none","metadata":\{"order": 42\}\}\}/,
    );
    const reported = await receiver.next((one) => one.body.includes('"COMPLETED"'));
    verifyDelivery(reported, /whsec_\S+/.exec(stdout)?.[0] ?? '');
    expect(JSON.parse(reported.body)).to.deep.include({ key: '2026/q1.zip', metadata: { order: 42 } });
    expect(stdout + stderr).not.to.contain(secretAccessKey);
  });
});
