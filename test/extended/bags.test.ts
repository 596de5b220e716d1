/** The Python library `bagit`, which the Library of Congress publishes, validates the bags in archives. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { AWKWARD_NAMES } from '#test/support/archives/awkward-names.ts';
import { unpack } from '#test/support/archives/unpack.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { runProgram } from '#test/support/processes/run-program.ts';
import { type Flow, type FlowSource, startFlow } from '#test/support/worlds/flow.ts';
import { installPackages } from './install-packages.ts';

describe('bags', function () {
  this.timeout(900_000);
  const started = new AsyncDisposableStack();
  let flow: Flow;
  let packages: string;
  before(async function () {
    await requirePrograms(this, ['unzip', 'python3']);
    packages = await installPackages();
    flow = started.use(await startFlow('bags', { jobDefaults: { manifestFormat: 'bagit' } }));
  });
  after(() => started.disposeAsync());

  function source(filename: string, n: number): FlowSource {
    return {
      url: flow.origin.url(`/gen/${n}/${n}`),
      filename,
    };
  }
  function validate(folder: string): Promise<Buffer> {
    return runProgram(join(packages, 'python/bin/bagit.py'), ['--validate', folder]);
  }
  /** Posts the job with the key `bag.zip`, and unpacks its archive. */
  async function bagOf(urls: readonly FlowSource[], options: object = {}) {
    const uuid = await flow.post(urls, { key: 'bag.zip', ...options });
    const { status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed'], 300_000);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded' });
    return unpack(await flow.project.bucket.bytes('bag.zip'));
  }

  it('are valid with awkward names, an empty file and a large one', async () => {
    const large = { url: flow.origin.url('/gen/3000000/7'), filename: 'large' };
    await using files = await bagOf([...AWKWARD_NAMES.map(source), large]);
    const folder = join(files.directory, 'bag');
    await validate(folder);
    await appendFile(join(folder, 'data/large'), 'x');
    const invalid = await validate(folder).catch((error: unknown) => String(error));
    expect(invalid).to.contain('Payload-Oxum validation failed');
  });

  for (const on_source_error of ['skip', 'placeholder'])
    it(`are valid with a failed source (${on_source_error})`, async () => {
      const missing = { url: flow.origin.url('/status/404'), filename: 'missing' };
      await using files = await bagOf([source('a', 0), missing, source('b', 1)], { on_source_error });
      await validate(join(files.directory, 'bag'));
    });

  it('are valid with compression, fixed times and rewritten names', async () => {
    const names = ['a?', 'A_', 'e\u0301', 'é', 'space at the end '];
    await using files = await bagOf(names.map(source), {
      compression: 'deflate',
      modification_time: '2026-01-31T12:00:00Z',
      portable_names: 'rewrite',
    });
    await validate(join(files.directory, 'bag'));
  });

  it('are valid with 2,000 files', async () => {
    await using files = await bagOf(Array.from({ length: 2_000 }, (_, n) => source(`${n % 40}/${n}`, n)));
    await validate(join(files.directory, 'bag'));
  });
});
