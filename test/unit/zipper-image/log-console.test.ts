import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = new URL('../../../', import.meta.url).pathname;
const PROGRAM = `
  import { createLogger } from '#runtime/log/log.ts';
  import { logConsole } from '#zipper-image/log-console.ts';
  logConsole(createLogger('zipper', { level: 'info' }));
  console.warn('a plain %s', 'line');
  console.error(new Error('an error'));
  process.emitWarning('a warning');
`;

describe('logConsole', () => {
  it('writes the lines of libraries and the warnings of Node.js to the log (F45)', async () => {
    const run = promisify(execFile);
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      cwd: ROOT,
    });
    const lines = `${stdout}${stderr}`.trim().split('\n');
    const texts = lines.map((line) => JSON.parse(line) as { level: string; console?: string; err?: Error });
    expect(texts.map(({ level }) => level)).to.deep.equal(['warn', 'warn', 'warn']);
    expect(texts[0]?.console).to.equal('a plain line');
    expect(texts[1]?.console).to.contain('an error');
    expect(texts[2]?.err?.message).to.equal('a warning');
  });
});
