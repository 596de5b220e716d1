import { expect } from 'chai';
import { defined } from '#runtime/collections/optional.ts';
import type { ExportedJob } from '#runtime/history/csv.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { createJobLists, type JobLists, type JobPage } from '#runtime/history/list-jobs.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { randomHistoryJobs, storeHistoryJobs, uuidOf } from '#test/support/builders/history-rows.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';
import { sized } from '#test/support/sized.ts';

const DAYS = 45;
const PROJECT = uuidOf(1, 1);
const NOW = new Date();

/** As the list sorts: by end, then uid, newest first. */
function newestFirst(a: HistoryJob, b: HistoryJob): number {
  if (a.finishedAt !== b.finishedAt) return a.finishedAt < b.finishedAt ? 1 : -1;
  return a.uid < b.uid ? 1 : -1;
}

/** Whether a pattern with `*` matches, without regular expressions and LIKE. */
function matchesKey(pattern: string, key: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return pattern === key;
  if (!key.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = key.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return key.length - at >= last.length && key.endsWith(last);
}

const TESTS: readonly ((filter: JobFilter, job: HistoryJob) => boolean)[] = [
  ({ projectUid }, job) => job.projectUid === projectUid,
  ({ phases }, job) => phases?.includes(job.phase) ?? true,
  ({ reasons }, job) => reasons?.includes(job.reason) ?? true,
  ({ bucket }, job) =>
    bucket === undefined || (bucket.service === job.service && bucket.bucketName === job.bucketName),
  ({ createdBy }, job) => createdBy === undefined || createdBy === job.createdBy,
  ({ key }, job) => key === undefined || matchesKey(key, job.key),
  ({ id }, job) => id === undefined || id === job.id,
  ({ finishedAfter }, job) => finishedAfter === undefined || new Date(job.finishedAt) >= finishedAfter,
  ({ finishedBefore }, job) => finishedBefore === undefined || new Date(job.finishedAt) < finishedBefore,
];

function expected(jobs: readonly HistoryJob[], filter: JobFilter): readonly HistoryJob[] {
  return jobs.filter((job) => TESTS.every((test) => test(filter, job))).toSorted(newestFirst);
}

const KEY_PATTERNS = [
  'a.zip',
  '*',
  '*0*',
  'b/*',
  '*.zip',
  'b/100%.zip',
  'b/c_d.zip',
  String.raw`b\c.zip`,
  'b/*0*.zip',
  'b/100%*',
  'b/c_*',
  String.raw`b\*`,
  '*€*',
  '**a*',
  'none',
];

function randomFilter(random: Random, jobs: readonly HistoryJob[]): JobFilter {
  const job = random.pick(jobs);
  function maybe(fields: Partial<JobFilter>): Partial<JobFilter> {
    return random.next() < 0.3 ? fields : {};
  }
  const time = new Date(job.finishedAt);
  return {
    projectUid: random.pick([PROJECT, uuidOf(1, 2)]),
    ...maybe({ phases: random.pick([['Failed'], ['Succeeded', 'Cancelled'], []]) }),
    ...maybe({ reasons: random.pick([[job.reason], ['Uploaded', 'Never'], ['Never']]) }),
    ...maybe({ bucket: { service: job.service, bucketName: random.pick([job.bucketName, 'none']) } }),
    ...maybe({ createdBy: random.pick(['importer', 'nobody']) }),
    ...maybe({ key: random.pick(KEY_PATTERNS) }),
    ...maybe({ finishedAfter: random.pick([time, new Date(time.getTime() - 86_400_000)]) }),
    ...maybe({ finishedBefore: random.pick([new Date(job.finishedAt), NOW]) }),
    ...(random.next() < 0.05 && { id: job.id }),
  };
}

/** All pages, also those of a search that stopped. */
async function allPages(lists: JobLists, filter: JobFilter, limit: number): Promise<readonly JobPage[]> {
  const pages: JobPage[] = [];
  let cursor: string | undefined;
  do {
    const page = await lists.listJobs(filter, { limit, cursor });
    pages.push(page);
    cursor = page.next;
  } while (cursor !== undefined);
  return pages;
}

/** Each look at the clock is a second later, so that every search takes too long after its first scan. */
function createHurriedClock() {
  let nowMs = 0;
  return { ...systemClock, monotonicMs: () => (nowMs += 1_000) };
}

describe('list-jobs', () => {
  const open = new AsyncDisposableStack();
  let server: PostgresServer;
  let reader: HistoryDatabase;
  let lists: JobLists;
  const jobs = randomHistoryJobs(1, 1_000, { now: NOW, days: DAYS });

  before(async function () {
    await requirePostgres(this);
    server = open.use(await createDatabase());
    await using writer = server.connect('writer');
    await storeHistoryJobs(writer, jobs);
    reader = open.use(server.connect('reader'));
    lists = createJobLists({ database: reader, clock: systemClock, searchMs: 60_000 });
  });

  after(() => open.disposeAsync());

  async function checkFilters(tested: JobLists, seed: number, count: number): Promise<number> {
    const random = createRandom(seed);
    let found = 0;
    for (let n = 0; n < count; n += 1) {
      const filter = randomFilter(random, jobs);
      const limit = random.pick([10, 25, 1_000]);
      const wanted = expected(jobs, filter);
      const pages = await allPages(tested, filter, limit);
      expect(
        pages.flatMap((page) => page.jobs),
        JSON.stringify({ filter, limit }),
      ).to.deep.equal(wanted);
      for (const page of pages) expect(page.jobs.length).to.be.at.most(limit);
      found += wanted.length;
    }
    return found;
  }

  it('returns for any filter what a search in memory returns, page by page (G7)', async () => {
    expect(await checkFilters(lists, 1, sized(40, 80))).to.be.above(1_000);
  });

  it('returns the same if every search takes too long, and says how far it came (G7)', async () => {
    const hurried = createJobLists({ database: reader, clock: createHurriedClock(), searchMs: 500 });
    expect(await checkFilters(hurried, 2, sized(12, 25))).to.be.above(100);
    const page = await hurried.listJobs({ projectUid: PROJECT, key: '*no such key*' }, { limit: 25 });
    expect(page).to.have.keys('jobs', 'next', 'searchedTo');
    expect(new Date(page.searchedTo ?? 0)).to.be.below(NOW);
  });

  it('ends pages within a second in which several jobs finished', async () => {
    const pages = await allPages(lists, { projectUid: PROJECT }, 3);
    const ends = pages.slice(1).filter((page, index) => {
      const before = pages[index]?.jobs.at(-1);
      return before?.finishedAt === page.jobs[0]?.finishedAt;
    });
    expect(ends.length).to.be.above(10);
    expect(pages.flatMap((page) => page.jobs)).to.deep.equal(expected(jobs, { projectUid: PROJECT }));
  });

  it('repeats and hides no job if others are inserted or updated between two pages', async () => {
    const projectUid = uuidOf(1, 3);
    function jobAt(n: number, minutesAgo: number): HistoryJob {
      const [template] = jobs;
      if (template === undefined) throw new Error('no jobs');
      return {
        ...template,
        projectUid,
        uid: uuidOf(5, n),
        id: uuidOf(6, n),
        finishedAt: new Date(Math.floor(NOW.getTime() / 60_000 - minutesAgo) * 60_000)
          .toISOString()
          .replace('.000Z', 'Z'),
      };
    }
    await using writer = server.connect('writer');
    const before = Array.from({ length: 10 }, (_, n) => jobAt(n, n));
    await storeHistoryJobs(writer, before);
    const first = await lists.listJobs({ projectUid }, { limit: 4 });
    await storeHistoryJobs(writer, [jobAt(20, 0), jobAt(21, 6)]);
    await storeHistoryJobs(
      writer,
      before.map((job) => ({ ...job, webhookState: 'Exhausted' })),
    );
    const second = await lists.listJobs({ projectUid }, { limit: 100, cursor: first.next });
    const uids = [...first.jobs, ...second.jobs].map(({ uid }) => uid);
    expect(new Set(uids).size).to.equal(uids.length);
    expect(uids).to.include.members(before.map(({ uid }) => uid));
    expect(uids).to.include(uuidOf(5, 21));
    expect(
      second.jobs.every((job) => job.webhookState === 'Exhausted' || job.uid === uuidOf(5, 21)),
    ).to.equal(true);
  });

  it('lists jobs that finished in the same millisecond', async () => {
    const projectUid = uuidOf(1, 4);
    const [template] = jobs;
    if (template === undefined) throw new Error('no jobs');
    const second = template.finishedAt.slice(0, -1);
    const close = Array.from({ length: 9 }, (_, n) => ({
      ...template,
      projectUid,
      uid: uuidOf(7, 9 - n),
      finishedAt: `${second}.00050${n}Z`,
    }));
    await using writer = server.connect('writer');
    await storeHistoryJobs(writer, close);
    const pages = await allPages(lists, { projectUid }, 2);
    expect(pages.flatMap((page) => page.jobs).map(({ uid }) => uid)).to.deep.equal(
      close.map(({ uid }) => uid).toReversed(),
    );
  });

  it('returns only jobs of its project, also for the cursor of another one', async () => {
    const other = await lists.listJobs({ projectUid: uuidOf(1, 2) }, { limit: 5 });
    const { jobs: found } = await lists.listJobs(
      { projectUid: PROJECT },
      { limit: 1_000, cursor: other.next },
    );
    expect(found).not.to.deep.equal([]);
    expect(new Set(found.map(({ projectUid }) => projectUid))).to.deep.equal(new Set([PROJECT]));
    const [foreign] = other.jobs;
    expect(await lists.listJobs({ projectUid: PROJECT, id: foreign?.id ?? '' }, { limit: 5 })).to.deep.equal({
      jobs: [],
    });
  });

  it('streams all matching jobs with their metadata in batches', async () => {
    const filter = { projectUid: PROJECT, phases: ['Failed'] } as const;
    const found: ExportedJob[] = [];
    for await (const batch of lists.streamJobs(filter)) found.push(...batch);
    const wanted = expected(jobs, filter);
    expect(found).to.deep.equal(wanted.map((job) => ({ ...job, metadata: `{"n":"${job.uid}"}` })));
    const byId: ExportedJob[] = [];
    const { id } = jobs.find(({ projectUid }) => projectUid === PROJECT) ?? {};
    for await (const batch of lists.streamJobs(defined({ projectUid: PROJECT, id }))) byId.push(...batch);
    expect(byId.map((job) => job.id)).to.deep.equal([id]);
  });
});
