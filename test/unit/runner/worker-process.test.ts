import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { WorkerProcess } from '#test/runner/worker-process.ts';

const PASSES = `it('passes', () => undefined);`;
const LEAVES_A_REJECTION = `it('waits', async () => {
  Promise.reject(new Error('nobody handles this'));
  await new Promise((resolve) => setTimeout(resolve, 100));
});`;
/** Its process inherits the output of the worker, and outlives it. */
const LEAVES_A_PROCESS = `import { spawn } from 'node:child_process';
it('spawns', () => {
  const child = spawn('sleep', ['600'], { stdio: 'inherit', detached: true });
  child.unref();
  console.log(\`pid \${child.pid}\`);
});`;
/** Each leaves its listeners in the process if the worker does not remove them. */
const EARLIER_FILES = 12;

describe('a process of the test runner', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zipjobs-worker-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(name: string, text: string): Promise<string> {
    const file = join(folder, `${name}.mjs`);
    await writeFile(file, text);
    return file;
  }

  it('prints a rejection that nobody handles and continues, also after many other files', async () => {
    const worker = new WorkerProcess({ suite: 'unit', isLive: false, print: () => undefined });
    await worker.ready();
    for (let n = 0; n < EARLIER_FILES; n += 1) {
      const { tests } = await worker.run(await write(`file-${n}`, PASSES));
      expect(tests.map(({ title, state }) => [title, state])).to.deep.include(['passes', 'passed']);
    }
    const { tests, output } = await worker.run(await write('last', LEAVES_A_REJECTION));
    expect(tests.map(({ title, state }) => [title, state])).to.deep.include(['waits', 'passed']);
    expect(output).to.contain('Unhandled rejection: Error: nobody handles this');
    await worker.end();
  });

  it('ends although a process that a test left behind holds its output', async () => {
    const worker = new WorkerProcess({ suite: 'unit', isLive: false, print: () => undefined });
    await worker.ready();
    const { output } = await worker.run(await write('leaves', LEAVES_A_PROCESS));
    const [, pid] = /pid (\d+)/.exec(output) ?? [];
    try {
      await worker.end();
    } finally {
      process.kill(Number(pid));
    }
  });
});
