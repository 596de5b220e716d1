import { expect } from 'chai';
import { Registry } from 'prom-client';
import { toCachedJob } from '#api/limits/cached-job.ts';
import { collectStorage } from '#api/limits/collect-storage.ts';
import { createStorageLedger } from '#api/limits/storage-ledger.ts';
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
    collectStorage(registry, { ledger, classOf: classes.of, maxFileListBytes: 100 });
    ledger.note({ kind: 'set', key: `${NAMESPACE}/a`, object: toCachedJob(aZipJob()), before: undefined });
    const text = await registry.metrics();
    expect(text).to.contain('zip_api_fullest_project_ratio{limit="storedJobs"} 0.25');
    expect(text).to.contain('zip_api_stored_jobs 1').and.not.to.contain(NAMESPACE);
  });
});
