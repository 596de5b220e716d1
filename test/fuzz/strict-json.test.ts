/** `npm run fuzz:json` repeats a run, or makes it longer. */
import { expect } from 'chai';
import { runProgram } from '#test/support/processes/run-program.ts';
import { sized } from '#test/support/sized.ts';

const SECONDS = sized(6, 300);

describe('strict parsing of generated bodies', function () {
  this.timeout((SECONDS + 60) * 1000);

  it('agrees with an oracle, and never takes much memory or blocks for long (N1)', async () => {
    const flags = ['--max-semi-space-size=4', '--max-old-space-size=256'];
    const output = await runProgram(process.execPath, [
      ...flags,
      'test/fuzz/json-main.ts',
      '--seconds',
      String(SECONDS),
    ]);
    for (const line of output.toString().trim().split('\n')) console.log(`      ${line}`);
    expect(output.toString()).to.contain('\n0 differences');
  });
});
