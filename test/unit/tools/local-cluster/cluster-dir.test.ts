import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clusterDirs, openClusterDir } from '#tools/local-cluster/cluster-dir.ts';

describe('openClusterDir', () => {
  let parent: string;
  const removed: { readonly path: string; readonly existed: boolean }[] = [];

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'zipjobs-cluster-dir-'));
    removed.length = 0;
    clusterDirs.beforeRemoval = async (path) => {
      removed.push({ path, existed: existsSync(join(path, 'logs')) });
    };
  });
  afterEach(async () => {
    delete clusterDirs.beforeRemoval;
    await rm(parent, { recursive: true });
  });

  it('lists the folder while the cluster runs, and reports it before removal', async () => {
    const dir = join(parent, 'cluster');
    {
      await using _opened = await openClusterDir({ dir });
      expect([...clusterDirs.open]).to.deep.equal([dir]);
    }
    expect([...clusterDirs.open]).to.deep.equal([]);
    expect(removed).to.deep.equal([{ path: dir, existed: true }]);
    expect(existsSync(dir)).to.equal(false);
  });

  it('does not report a folder that it keeps', async () => {
    const dir = join(parent, 'cluster');
    await (await openClusterDir({ dir, keep: true }))[Symbol.asyncDispose]();
    expect(removed).to.deep.equal([]);
    expect(existsSync(dir)).to.equal(true);
  });
});
