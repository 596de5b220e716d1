/** Server time of the list of jobs in a project with ten thousand jobs, without a cluster. */

import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { PHASES } from '#crds/zip-job.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  startDashboardServer,
  type Visitor,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

const [MANY, FEW] = ['many-jobs', 'few-jobs'] as const;
const JOBS = { [MANY]: 10_000, [FEW]: 25 } as const;
const SAMPLES = 20;

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function liveOf(html: string): string {
  return /data-live="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? 'no live part';
}

describe('the list of 10,000 jobs', function () {
  this.timeout(120_000);
  let server: DashboardServer;
  let visitor: Visitor;
  before(async () => {
    // Without shared results, each request does the whole search.
    server = await startDashboardServer({
      env: { ...unsupported({ DASHBOARD_SHARED_READ_MS: 0 }), DASHBOARD_REQUESTS_PER_MINUTE: '0' },
    });
    server.tokens.set(ADA, { name: 'ada', allowed: ['*'] });
    for (const namespace of [MANY, FEW]) {
      server.zipProjects.put(aProject(namespace));
      for (let n = 0; n < JOBS[namespace]; n += 1) {
        const annotations = { [ANNOTATIONS.createdBy]: `token-${n % 20}` };
        server.zipJobs.put(
          aZipJob({
            metadata: { namespace, name: `job-${n}`, creationTimestamp: ago(n), annotations },
            status: { phase: PHASES[n % PHASES.length] ?? 'Queued', reason: 'SlotsTaken' },
          }),
        );
      }
    }
    visitor = await visitAs(server, ADA);
  });
  after(() => server[Symbol.asyncDispose]());

  async function msOf(path: string): Promise<number> {
    const start = performance.now();
    expect((await visitor.get(path)).status).to.equal(200);
    return performance.now() - start;
  }
  function pathIn(namespace: string, query: string): string {
    return `/projects/${namespace}/jobs${query}`;
  }
  async function livePathIn(namespace: string, query: string): Promise<string> {
    return liveOf((await visitor.get(pathIn(namespace, query))).text);
  }

  async function compare(what: string, paths: readonly [many: string, few: string]): Promise<number> {
    const samples: { readonly many: number; readonly few: number }[] = [];
    for (let n = 0; n < SAMPLES; n += 1)
      samples.push({ many: await msOf(paths[0]), few: await msOf(paths[1]) });
    const [many, few] = [medianOf(samples.map((one) => one.many)), medianOf(samples.map((one) => one.few))];
    console.log(`      ${what}: median ${many.toFixed(1)} ms, of 25 jobs ${few.toFixed(1)} ms`);
    return many / few;
  }

  // 400 times the jobs; a search reads each of them.
  for (const [what, query, most] of [
    ['the first page', '', 3],
    ['the last page', '?page=400', 3],
    ['a page of one state', '?state=Succeeded&page=50', 20],
    ['a search that finds nothing', '?q=no-such-key', 20],
    ['a search by reason and token', '?reason=SlotsTaken&token=token-3', 20],
    ['a search of a time range', '?from=2020-01-01T00:00&to=2030-01-01T00:00', 20],
  ] as const)
    it(`takes for ${what} at most ${most} times as long as one of 25 jobs`, async () => {
      const ratio = await compare(what, [pathIn(MANY, query), pathIn(FEW, query)]);
      expect(ratio).to.be.lessThan(most);
      const live = await compare(`its live part`, [
        await livePathIn(MANY, query),
        await livePathIn(FEW, query),
      ]);
      expect(live).to.be.lessThan(most);
    });
});
