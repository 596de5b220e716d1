import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { watchFiles } from '#test/dev/watch-files.ts';
import { until } from '#test/support/until.ts';

describe('watchFiles', () => {
  let root: string;
  let changed: string[];
  let watching: Disposable;

  function path(name: string): string {
    return join(root, name);
  }
  function untilChanged(name: string): Promise<unknown> {
    return until(`a change of ${name}`, () => changed.includes(name), { limitMs: 5_000 });
  }

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'watch-files-'));
    await mkdir(path('api/pages'), { recursive: true });
    await mkdir(path('docs'));
    await writeFile(path('api/pages/jobs.ts'), '1');
    changed = [];
    watching = watchFiles({ root, folders: ['api'], onChange: (name) => changed.push(name) });
  });
  afterEach(async () => {
    watching[Symbol.dispose]();
    await rm(root, { recursive: true });
  });

  it('reports a written, a touched and a removed file', async () => {
    await writeFile(path('api/pages/jobs.ts'), '2');
    await untilChanged('api/pages/jobs.ts');
    changed.length = 0;
    await utimes(path('api/pages/jobs.ts'), new Date(), new Date());
    await untilChanged('api/pages/jobs.ts');
    changed.length = 0;
    await rm(path('api/pages/jobs.ts'));
    await untilChanged('api/pages/jobs.ts');
  });

  it('reports each save of an editor that replaces the file', async () => {
    for (const text of ['2', '3', '4']) {
      changed.length = 0;
      await writeFile(path('api/pages/.jobs.ts.new'), text);
      await rename(path('api/pages/.jobs.ts.new'), path('api/pages/jobs.ts'));
      await untilChanged('api/pages/jobs.ts');
    }
  });

  it('reports the files of an added folder and their later changes', async () => {
    await mkdir(path('new/deep'), { recursive: true });
    await writeFile(path('new/deep/a.ts'), '1');
    await rename(path('new'), path('api/new'));
    await untilChanged('api/new/deep/a.ts');
    changed.length = 0;
    await writeFile(path('api/new/deep/a.ts'), '2');
    await untilChanged('api/new/deep/a.ts');
  });

  it('watches a folder that is removed and added again', async () => {
    for (const text of ['1', '2']) {
      await rm(path('api/pages'), { recursive: true });
      changed.length = 0;
      await mkdir(path('api/pages'));
      await writeFile(path('api/pages/jobs.ts'), text);
      await untilChanged('api/pages/jobs.ts');
    }
  });

  it('reports nothing of other folders', async () => {
    await writeFile(path('docs/a.ts'), '1');
    await writeFile(path('api/b.ts'), '1');
    await untilChanged('api/b.ts');
    expect(changed).not.to.contain('docs/a.ts');
  });

  it('reports a missing folder', () => {
    expect(() => watchFiles({ root, folders: ['api', 'gone'], onChange: () => undefined })).to.throw(
      /Cannot watch the source folders: .*gone/,
    );
  });
});
