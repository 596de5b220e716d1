import { expect } from 'chai';
import { Registry } from 'prom-client';
import {
  createProjectLabels,
  MAX_LABELLED,
  OTHER_PROJECTS,
  type ProjectLabels,
  withoutProjects,
} from '#runtime/metrics/project-labels.ts';
import { exportLabelledProjects, projectCounter, projectHistogram } from '#runtime/metrics/project-series.ts';
import { createRandom } from '#test/support/random.ts';

const NAME = 'jobs_total';

function setUp(
  options: {
    readonly isReady?: () => boolean;
    readonly labels?: ProjectLabels;
    readonly scrapeMs?: number;
  } = {},
) {
  let now = 0;
  const clock = { monotonicMs: () => now };
  const { isReady = () => true, scrapeMs = 60_000 } = options;
  const labels = options.labels ?? createProjectLabels({ clock, isReady });
  const registry = new Registry();
  exportLabelledProjects(registry, labels);
  const counter = projectCounter(
    labels,
    { name: NAME, help: 'a', labelNames: ['project', 'result'], registers: [registry] },
    () => [{ result: 'ok' }, { result: 'failed' }],
  );
  const histogram = projectHistogram(labels, {
    name: 'bytes',
    help: 'b',
    buckets: [1],
    registers: [registry],
  });
  async function scrape(): Promise<ReadonlyMap<string, number>> {
    now += scrapeMs;
    const lines = (await registry.metrics()).split('\n').filter((line) => /^\w/.test(line));
    return new Map(
      lines.map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))] as const;
      }),
    );
  }
  return { labels, counter, histogram, scrape };
}

function named(project: string, result = 'ok'): string {
  return `${NAME}{project="${project}",result="${result}"}`;
}

/** What `increase` of Prometheus adds for a series between two scrapes. It ignores the first value. */
function increaseOf(before: number | undefined, after: number): number {
  if (before === undefined) return 0;
  return after >= before ? after - before : after;
}

function increasesOf(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  return [...after]
    .filter(([name]) => name.startsWith(NAME))
    .reduce((sum, [name, value]) => sum + increaseOf(before.get(name), value), 0);
}

function projectsOf(scraped: ReadonlyMap<string, number>, name: string): ReadonlySet<string> {
  const series = [...scraped.keys()].filter((one) => one.startsWith(`${name}{`));
  return new Set(series.map((one) => /project="([^"]*)"/.exec(one)?.[1] ?? ''));
}

describe('the label project', () => {
  it('has at most 101 values and loses no increase while 10,000 projects come and go (Q-P13)', async () => {
    const { labels, counter, histogram, scrape } = setUp({ scrapeMs: 600_000 });
    const random = createRandom(7);
    const truth = { counted: 0, seen: 0 };
    const everLabelled = new Set<string>();
    let before = await scrape();
    for (let round = 0; round < 100; round += 1) {
      // The projects that work now move from 0 to 10,000. Some are ten times as busy as others.
      const first = round * 100;
      const busy = Array.from({ length: 40 }, () => `p-${first + Math.floor(random.next() ** 2 * 150)}`);
      for (const project of busy) labels.note(project);
      const after = await scrape();
      truth.seen += increasesOf(before, after);
      for (const name of [NAME, 'bytes_bucket', 'bytes_count'])
        expect(projectsOf(after, name).size).to.be.at.most(MAX_LABELLED + 1);
      for (const project of projectsOf(after, NAME)) everLabelled.add(project);
      before = after;
      // A job ends after a scrape has seen its project.
      for (const project of busy) {
        counter.inc(project, { result: random.next() < 0.5 ? 'ok' : 'failed' });
        histogram.observe(project, 2);
        truth.counted += 1;
      }
    }
    truth.seen += increasesOf(before, await scrape());
    expect(truth.seen).to.equal(truth.counted);
    expect(everLabelled.size, 'projects replace others').to.be.above(1.5 * MAX_LABELLED);
  });

  it('names the busiest projects that the first lists have, in whatever order (Q-P13)', async () => {
    let isReady = false;
    const { labels, scrape } = setUp({ isReady: () => isReady });
    for (let n = 0; n < 10_000; n += 1) {
      labels.note(`p-${n}`);
      if (n % 100 === 99) labels.note(`p-${n}`);
    }
    await scrape();
    expect(labels.size).to.equal(0);
    isReady = true;
    const projects = projectsOf(await scrape(), NAME);
    expect([...projects].filter((one) => one !== OTHER_PROJECTS).every((one) => one.endsWith('99'))).to.equal(
      true,
    );
    expect(projects).to.have.property('size', MAX_LABELLED + 1);
  });

  it('stays with a project until another is twice as busy, and then ends ten minutes later (Q-P13)', async () => {
    const { labels, counter, scrape } = setUp();
    for (let n = 0; n < MAX_LABELLED; n += 1)
      for (let times = 0; times < 4; times += 1) labels.note(`p-${n}`);
    async function minutes(count: number): Promise<ReadonlyMap<string, number>> {
      let last = await scrape();
      for (let n = 0; n < count; n += 1) last = await scrape();
      return last;
    }
    for (let times = 0; times < 7; times += 1) labels.note('new');
    expect((await minutes(25)).has(named('new'))).to.equal(false);
    for (let times = 0; times < 7; times += 1) labels.note('new');
    const ending = await minutes(10);
    expect(ending.has(named('new'))).to.equal(false);
    for (let n = 0; n < MAX_LABELLED; n += 1) counter.inc(`p-${n}`, { result: 'ok' });
    const still = await scrape();
    expect(still.get(named(OTHER_PROJECTS)), 'one project counts as others before it ends').to.equal(1);
    expect(projectsOf(still, NAME).size).to.equal(MAX_LABELLED + 1);
    const after = await minutes(10);
    expect(after.get(named('new'))).to.equal(0);
    expect(projectsOf(after, NAME).size).to.equal(MAX_LABELLED + 1);
  });

  it('is empty without figures per project', async () => {
    const { labels, counter, histogram, scrape } = setUp({ labels: withoutProjects() });
    labels.note('acme');
    counter.inc('acme', { result: 'ok' });
    histogram.observe('acme', 1);
    const scraped = await scrape();
    expect(projectsOf(scraped, NAME)).to.deep.equal(new Set(['']));
    expect(scraped.get(named(''))).to.equal(1);
    expect(scraped.get('bytes_count{project=""}')).to.equal(1);
  });
});
