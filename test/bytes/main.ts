/**
 * Compares the archives of this checkout with those of another one, byte for byte, over generated jobs. The last line is
 * "N jobs, M differences".
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Engine, loadEngine } from './engine.ts';
import { type GeneratedJob, generateJob } from './generate-job.ts';
import { writeGolden } from './golden.ts';
import { runJob } from './run-job.ts';

const USAGE = `npm run bytes -- --before DIR [--seed N] [--jobs M], or --golden
  --before DIR  checkout to compare with, with its node_modules
  --seed N      seed of the first job; the next ones count on (default 1)
  --jobs M      how many (default 2000)
  --golden      write the digests that a test compares`;

/** The digest of the archive, or the error. */
async function outcomeOf(engine: Engine, job: GeneratedJob) {
  try {
    return await runJob(engine, job);
  } catch (error) {
    return { digest: `error: ${String(error)}`, ranges: 0, parts: 0 };
  }
}

function isLarge({ files, partSizeBytes }: GeneratedJob): boolean {
  return files.some(({ bytes }) => bytes > 4 * partSizeBytes);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      before: { type: 'string' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '2000' },
      golden: { type: 'boolean', default: false },
    },
  });
  const now = await loadEngine(resolve('.'));
  if (values.golden) return writeGolden(now);
  if (values.before === undefined) throw new Error(USAGE);
  const before = await loadEngine(resolve(values.before));
  const counts = {
    jobs: 0,
    differences: 0,
    withThreeParts: 0,
    withLargeEntry: 0,
    withRanges: 0,
    far: 0,
    many: 0,
    failed: 0,
  };
  for (let seed = Number(values.seed); counts.jobs < Number(values.jobs); seed += 1) {
    const job = generateJob(seed);
    const [old, made] = [await outcomeOf(before, job), await outcomeOf(now, job)];
    counts.jobs += 1;
    counts.withThreeParts += Number(made.parts >= 3);
    counts.withLargeEntry += Number(isLarge(job));
    counts.withRanges += Number(made.ranges > 0);
    counts.far += Number(job.zerosBefore > 0);
    counts.many += Number(job.inlineFiles > 0);
    counts.failed += Number(made.parts === 0);
    if (old.digest !== made.digest) {
      counts.differences += 1;
      console.log(`seed ${seed}: ${old.digest} before, ${made.digest} now`);
    }
  }
  console.log(counts);
  console.log(`${counts.jobs} jobs, ${counts.differences} differences`);
  process.exitCode = counts.differences === 0 ? 0 : 1;
}

await main();
