import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = import.meta.dirname;

/** Folder of the programs of requirements.txt; installs them if they are missing. */
export async function installFuzzer(): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', [join(FOLDER, 'install')], { timeout: 300_000 });
  return join(stdout.trim(), 'bin');
}

export interface FuzzOptions {
  /** Folder of the installed programs. */
  readonly programs: string;
  readonly documentUrl: string;
  /** Prefix of the paths of the document. */
  readonly baseUrl: string;
  readonly token?: string;
  readonly seed: number;
  /** Generated requests per operation. */
  readonly examples: number;
}

/** Summary of a run, as the fuzzer reports it. */
export interface FuzzReport {
  readonly seed: number;
  readonly complete: boolean;
  readonly exit_code: number;
  readonly running_time: number;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly phases: Readonly<Record<string, { readonly status: string }>>;
  readonly test_cases: { readonly generated: number; readonly with_failures: number };
  readonly failures: readonly unknown[];
  readonly errors: readonly unknown[];
}

/** Number of sequences of requests that build on each other. */
const SEQUENCES_PER_EXAMPLE = 1 / 7;

function configOf({ examples }: FuzzOptions): string {
  return `
[phases.fuzzing.generation]
max-examples = ${examples}
[phases.stateful.generation]
max-examples = ${Math.ceil(examples * SEQUENCES_PER_EXAMPLE)}
`;
}

/** Runs every check in every phase; prints the output of the fuzzer when it fails. */
export async function runSchemathesis(options: FuzzOptions): Promise<FuzzReport> {
  const directory = await mkdtemp(join(tmpdir(), 'zipjobs-fuzz-'));
  const report = join(directory, 'report.json');
  const config = join(directory, 'config.toml');
  await writeFile(config, configOf(options));
  const args = [
    '--no-color',
    `--config-file=${config}`,
    'run',
    options.documentUrl,
    `--url=${options.baseUrl}`,
    '--checks=all',
    '--mode=all',
    `--seed=${options.seed}`,
    '--generation-database=none',
    '--suppress-health-check=all',
    '--continue-on-failure',
    '--request-timeout=20',
    '--workers=1',
    '--report=json',
    `--report-json-path=${report}`,
    ...(options.token === undefined ? [] : [`--header=Authorization: Bearer ${options.token}`]),
  ];
  try {
    const child = spawn(join(options.programs, 'schemathesis'), args, {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SCHEMATHESIS_HOOKS: join(FOLDER, 'hooks.py'), PYTHONDONTWRITEBYTECODE: '1' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
      });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) console.log(output);
    return JSON.parse(await readFile(report, 'utf8')) as FuzzReport;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
