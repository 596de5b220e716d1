import { expect } from 'chai';
import { Registry } from 'prom-client';
import { toCachedJob } from '#api/limits/cached-job.ts';
import { collectStorage } from '#api/limits/collect-storage.ts';
import { createStorageLedger, type Storage } from '#api/limits/storage-ledger.ts';
import { createProjectLabels, withoutProjects } from '#runtime/metrics/project-labels.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';

describe('collectStorage', () => {
  it('compares a project with its class, whatever lower limits its owner sets (N2)', async () => {
    const registry = new Registry();
    const ledger = createStorageLedger({ clock: systemClock, maxFileListBytes: 100 });
    const classes = projectClasses(
      { default: { storedJobs: 1 }, large: { storedJobs: 4 } },
      { [NAMESPACE]: 'large' },
    );
    collectStorage(registry, {
      ledger,
      classOf: classes.of,
      maxFileListBytes: 100,
      projects: withoutProjects(),
    });
    ledger.note({ kind: 'set', key: `${NAMESPACE}/a`, object: toCachedJob(aZipJob()), before: undefined });
    const text = await registry.metrics();
    expect(text).to.contain('zip_api_project_limit_ratio{project="",limit="storedJobs"} 0.25');
    expect(text).to.contain('zip_api_stored_jobs 1').and.not.to.contain(NAMESPACE);
  });

  it('names the nearly full projects before the busy ones, and at most 100 (Q-P13)', async () => {
    const registry = new Registry();
    const totals = new Map<string, Storage>();
    const projects = createProjectLabels({ clock: systemClock, isReady: () => true });
    for (let n = 0; n < 10_000; n += 1) {
      if (n < 150) projects.note(`busy-${n}`);
      totals.set(n < 150 ? `busy-${n}` : `idle-${n}`, { jobs: 50, bytes: 1, fileListBytes: 1 });
    }
    for (let n = 0; n < 7; n += 1) totals.set(`full-${n}`, { jobs: 91 + n, bytes: 1, fileListBytes: 1 });
    const limits = { storedJobs: 100, storedBytes: 1000 };
    const ledger = { totals: () => totals.entries() };
    collectStorage(registry, { ledger, classOf: () => ({ limits }), maxFileListBytes: 100, projects });
    const lines = (await registry.metrics())
      .split('\n')
      .filter((line) => line.includes('limit="storedJobs"'));
    expect(lines).to.have.lengthOf(101);
    expect(lines).to.include('zip_api_project_limit_ratio{project="full-6",limit="storedJobs"} 0.97');
    expect(lines).to.include('zip_api_project_limit_ratio{project="_other",limit="storedJobs"} 0.5');
    expect(lines.filter((line) => line.includes('"busy-'))).to.have.lengthOf(93);
  });
});
