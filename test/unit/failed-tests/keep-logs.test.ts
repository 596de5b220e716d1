import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  chooseLogs,
  keepLogs,
  removeOldResults,
  resultName,
  resultsFolder,
} from '#test/support/failed-tests/keep-logs.ts';

describe('chooseLogs', () => {
  it('selects the newest logs first and the end of large logs, within the size limit', () => {
    const files = [
      { path: 'old', bytes: 10, changedAt: 1 },
      { path: 'large', bytes: 1_000, changedAt: 3 },
      { path: 'empty', bytes: 0, changedAt: 4 },
      { path: 'new', bytes: 30, changedAt: 5 },
      { path: 'older', bytes: 50, changedAt: 2 },
    ];
    expect(chooseLogs(files, { bytes: 140, fileBytes: 90 })).to.deep.equal([
      { path: 'new', bytes: 30 },
      { path: 'large', bytes: 90 },
      { path: 'older', bytes: 20 },
    ]);
  });
});

describe('keepLogs', () => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'zipjobs-keep-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(dir, path, '..'), { recursive: true });
    await writeFile(join(dir, path), text);
  };

  it('copies logs without secrets, and skips keys and mounted volumes', async () => {
    await write('cluster/logs/etcd.log', 'etcd\n');
    await write('cluster/logs/api.token', 'sesame');
    await write('cluster/certificates/ca.key', 'sesame');
    await write('cluster/admin.kubeconfig', 'sesame');
    await write('cluster/pods/a_b_c/zipper.log', 'GET https://a.example/b?sig=sesame\n');
    await write('cluster/pods/a_b_c/volumes/secret/key.log', 'sesame');
    await symlink(join(dir, 'cluster/certificates/ca.key'), join(dir, 'cluster/pods/a_b_c/link.log'));
    const at = { folder: join(dir, 'results'), name: 'integration-1' };
    expect(await keepLogs(join(dir, 'cluster'), at)).to.match(
      /^Logs of the failed run: .*integration-1 \(2 files\)/,
    );
    const kept = (await readdir(join(dir, 'results'), { recursive: true })).filter((path) =>
      /\.\w+$/.test(path),
    );
    expect(kept.sort()).to.deep.equal(['integration-1/logs/etcd.log', 'integration-1/pods/a_b_c/zipper.log']);
    const text = await readFile(join(dir, 'results/integration-1/pods/a_b_c/zipper.log'), 'utf8');
    expect(text).to.equal('GET https://a.example/b?[redacted]\n');
  });

  it('creates a separate folder for a second cluster', async () => {
    await write('cluster/logs/etcd.log', 'etcd\n');
    await mkdir(join(dir, 'cluster/pods'));
    const at = { folder: join(dir, 'results'), name: 'integration-1' };
    await keepLogs(join(dir, 'cluster'), at);
    await keepLogs(join(dir, 'cluster'), at);
    expect((await readdir(join(dir, 'results'))).sort()).to.deep.equal(['integration-1', 'integration-1-2']);
  });

  it('removes the oldest results', async () => {
    for (const [name, day] of [
      ['long-3', 1],
      ['integration-1', 3],
      ['integration-2', 2],
    ] as const) {
      await mkdir(join(dir, name));
      await utimes(join(dir, name), new Date(2026, 4, day), new Date(2026, 4, day));
    }
    await removeOldResults(dir, 2);
    expect((await readdir(dir)).sort()).to.deep.equal(['integration-1', 'integration-2']);
    await removeOldResults(join(dir, 'nowhere'), 2);
  });
});

describe('folder of results', () => {
  it('is in the checkout unless ZIPJOBS_TEST_RESULTS is set', () => {
    expect(resultsFolder({})).to.equal(join(process.cwd(), 'test-results'));
    expect(resultsFolder({ ZIPJOBS_TEST_RESULTS: '/tmp/results' })).to.equal('/tmp/results');
  });

  it('contains the suite and the process ID in its name', () => {
    const file = join(process.cwd(), 'test/integration/a.test.ts');
    expect(resultName(file)).to.equal(`integration-${process.pid}`);
    expect(resultName(undefined)).to.equal(`tests-${process.pid}`);
  });
});
