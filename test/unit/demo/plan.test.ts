import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { keepDuration, readDuration } from '../../demo/kept-duration.ts';
import { planText } from '../../demo/plan.ts';

describe('planText', () => {
  it('reports the range of the build time, because other work can double it (Q-D6)', () => {
    const text = planText({ cores: 2, slowness: 1 }, { secondsToBuild: 240, measured: undefined });
    expect(text).to.contain('(once, 4 min to 8 min with 2 cores)');
    expect(text).to.contain('Steps 2 to 5 take about 25 s.');
  });

  it('estimates seconds when everything is built', () => {
    const text = planText({ cores: 4, slowness: 2 }, { secondsToBuild: 0, measured: undefined });
    expect(text).to.contain('(already built)').and.contain('take about 40 s.');
  });

  it('reports the measured time of the last run instead of an estimate (Q-D6)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'demo-seconds-'));
    try {
      const env = { XDG_CACHE_HOME: folder };
      expect(await readDuration(env)).to.equal(undefined);
      await keepDuration(23.4, env);
      const measured = await readDuration(env);
      const text = planText({ cores: 2, slowness: 5 }, { secondsToBuild: 0, measured });
      expect(text).to.contain('take about 25 s, as they did the last time.');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
