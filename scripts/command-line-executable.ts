/** The command line and Node in one executable file, for the machine that builds it. */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'postject';

const run = promisify(execFile);
/** The mark in Node that says whether it contains a program: https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Writes `zipjobs` beside the bundle. On macOS, it is signed ad hoc, because macOS runs no program without a signature. */
export async function buildExecutable(bundle: string): Promise<string> {
  const folder = dirname(bundle);
  const executable = join(folder, 'zipjobs');
  const [config, blob] = [join(folder, 'sea.json'), join(folder, 'sea.blob')];
  const isMac = process.platform === 'darwin';
  writeFileSync(
    config,
    JSON.stringify({
      main: bundle,
      output: blob,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
    }),
  );
  await run(process.execPath, ['--experimental-sea-config', config]);
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  if (isMac) await run('codesign', ['--remove-signature', executable]);
  await inject(executable, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse: FUSE,
    ...(isMac && { machoSegmentName: 'NODE_SEA' }),
  });
  if (isMac) await run('codesign', ['--sign', '-', executable]);
  rmSync(config);
  rmSync(blob);
  return executable;
}
