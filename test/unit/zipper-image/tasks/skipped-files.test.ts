/** What happens to failing sources if the job may skip them, and how archive, manifest and result report it. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { ZipResult } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { SourceError } from '#zipper-image/sources/source-error.ts';
import { bodies, type Entries, entryOf, JobHarness, task } from './job-harness.ts';

const URL_WITH_SECRET = 'https://source.example/file?signature=CANARY';

function failedAt(index: number): SourceError {
  const file = { index, url: URL_WITH_SECRET };
  return new SourceError(file, {
    code: 'SourceNotFound',
    text: 'it responded with 404',
    retryable: false,
    httpStatus: 404,
  });
}

interface ManifestText {
  readonly manifestVersion: number;
  readonly files: readonly {
    readonly index: number;
    readonly filename: string;
    readonly outcome: string;
    readonly entry: string;
    readonly error?: unknown;
    readonly lengthUnverified?: boolean;
    readonly contentEncoded?: boolean;
  }[];
}

function readManifest(text: string): ManifestText {
  return JSON.parse(text) as ManifestText;
}

/** The bodies as entries; the entries with these indices fail. */
function without(...failing: readonly number[]): Entries {
  return async function* () {
    for (const [index, body] of bodies.entries()) {
      const entry = entryOf(body, index);
      if (!failing.includes(index)) yield entry;
      else yield { ...entry, declaredLength: undefined, small: undefined, failure: failedAt(index) };
    }
  };
}

describe('zipToS3 with files that may be skipped', () => {
  let harness: JobHarness;
  beforeEach(async () => {
    harness = await JobHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  async function archive(entries: Entries, change: Partial<ArchiveTask>) {
    const result: ZipResult = await harness.run(entries, { task: { ...task, ...change } });
    const zip = readZip(harness.hostile.objects.get('a.zip')!.body);
    expect(result.entries).to.equal(zip.entries.length);
    const contents = zip.entries.map((entry) => [entry.name, contentOf(entry)] as const);
    return { result, names: contents.map(([name]) => name), contents: new Map(contents) };
  }

  for (const [place, index] of [
    ['first', 0],
    ['in the middle', 1],
    ['last', 2],
  ] as const) {
    it(`skips a failing file (${place}) and reports it in the result`, async () => {
      const { result, names, contents } = await archive(without(index), { onSourceError: 'Skip' });
      const left = [0, 1, 2].filter((one) => one !== index);
      expect(names).to.deep.equal(left.map((one) => `file-${one}`));
      for (const one of left) expect(contents.get(`file-${one}`)!.equals(bodies[one]!)).to.equal(true);
      expect(result).to.deep.include({ skipped: [index], skippedCodes: { SourceNotFound: 1 } });
      expect(harness.server.writes.at(-1)?.status.result).to.deep.equal(result);
    });

    it(`adds a text entry instead of a failing file (${place})`, async () => {
      const { result, names, contents } = await archive(without(index), { onSourceError: 'Placeholder' });
      const wanted = [0, 1, 2].map((one) => (one === index ? `file-${one}.error.txt` : `file-${one}`));
      expect(names).to.deep.equal(wanted);
      const text = contents.get(`file-${index}.error.txt`)!.toString();
      expect(text).to.contain(`Index: ${index}\nReason: SourceNotFound\nHTTP status: 404\n`);
      expect(text).to.not.match(/CANARY|source\.example/);
      expect(result).to.deep.include({ skipped: [index], skippedCodes: { SourceNotFound: 1 } });
    });
  }

  it('chooses an unused name for the text entry', async () => {
    const taken = ['a', 'a.error.txt', 'A.ERROR-2.txt/b'];
    async function readFiles() {
      return taken.map((filename) => ({ url: 'http://source/', filename }));
    }
    await harness.run(without(0), { readFiles, task: { ...task, onSourceError: 'Placeholder' } });
    const { entries } = readZip(harness.hostile.objects.get('a.zip')!.body);
    expect(entries.map(({ name }) => name)).to.deep.equal(['a.error-3.txt', ...taken.slice(1)]);
  });

  it('fails with the first failure if all files fail', async () => {
    for (const onSourceError of ['Skip', 'Placeholder'] as const) {
      const error = await harness.failing(without(0, 1, 2), { task: { ...task, onSourceError } });
      expect(error).to.deep.include({ code: 'SourceNotFound', details: failedAt(0).details });
      expect(harness.leftovers).to.deep.equal([0, 0]);
    }
  });

  it('fails if a file is interrupted after its first bytes were written, and explains why', async () => {
    const breaking: Entries = async function* () {
      for (const [index, body] of bodies.entries())
        yield index !== 2
          ? entryOf(body, index)
          : {
              ...entryOf(body, index),
              body: (async function* () {
                yield body.subarray(0, 1_000_000);
                throw failedAt(index);
              })(),
            };
    };
    const error = await harness.failing(breaking, { task: { ...task, onSourceError: 'Skip' } });
    expect(error).to.include({ code: 'SourceNotFound' });
    expect(error.message).to.contain('cannot be removed');
    expect(error.message).to.not.contain('CANARY');
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  it('writes the manifest last, from the written entries, without URLs', async () => {
    const { names, contents } = await archive(without(1), {
      onSourceError: 'Placeholder',
      manifestEntry: 'contents.json',
    });
    expect(names.at(-1)).to.equal('contents.json');
    const text = contents.get('contents.json')!.toString();
    expect(text).to.not.match(/CANARY|http:|https:/);
    const { manifestVersion, files } = readManifest(text);
    expect(manifestVersion).to.equal(1);
    expect(files.map(({ index, filename, outcome }) => [index, filename, outcome])).to.deep.equal([
      [0, 'file-0', 'written'],
      [1, 'file-1', 'placeholder'],
      [2, 'file-2', 'written'],
    ]);
    for (const file of files) {
      const body = contents.get(file.entry)!;
      const sha256 = createHash('sha256').update(body).digest('hex');
      expect(file).to.include({ bytes: body.length, sha256 });
    }
    expect(files[1]?.error).to.deep.equal({ code: 'SourceNotFound', httpStatus: 404 });
    expect(files[2]?.lengthUnverified).to.equal(true);
  });

  it('lists encoded files in the manifest (FD8)', async () => {
    const { contents } = await archive(without(), { manifestEntry: 'contents.json' });
    const { files } = readManifest(contents.get('contents.json')!.toString());
    expect(files.map(({ contentEncoded }) => contentEncoded)).to.deep.equal([undefined, true, undefined]);
  });

  it('rewrites names if the job requires it, and lists the original names in the manifest (Z13)', async () => {
    async function readFiles() {
      return ['con.txt', 'a?', 'A_'].map((filename) => ({ url: 'http://source/', filename }));
    }
    const change = { portableNames: 'rewrite', manifestEntry: 'm.json' } as const;
    const named: Entries = async function* () {
      for (const [index, body] of bodies.entries())
        yield { ...entryOf(body, index), filename: ['con.txt', 'a?', 'A_'][index]! };
    };
    await harness.run(named, { readFiles, task: { ...task, ...change } });
    const { entries } = readZip(harness.hostile.objects.get('a.zip')!.body);
    expect(entries.map(({ name }) => name)).to.deep.equal(['_con.txt', 'a_', 'A_ (2)', 'm.json']);
    const { files } = readManifest(contentOf(entries[3]!).toString());
    expect(files.map(({ filename }) => filename)).to.deep.equal(['con.txt', 'a?', 'A_']);
  });

  it('numbers files of the same name if the job requires it, and lists the names in the result (FD21)', async () => {
    const filenames = ['a.txt', 'b.txt', 'a.txt'];
    async function readFiles() {
      return filenames.map((filename) => ({ url: 'http://source/', filename }));
    }
    const named: Entries = async function* () {
      for (const [index, body] of bodies.entries())
        yield { ...entryOf(body, index), filename: filenames[index]! };
    };
    const change = { duplicateNames: 'rename', manifestEntry: 'm.json' } as const;
    const result = await harness.run(named, { readFiles, task: { ...task, ...change } });
    expect(result.renamed).to.deep.equal({ total: 1, files: [{ fileIndex: 2, name: 'a (2).txt' }] });
    const { entries } = readZip(harness.hostile.objects.get('a.zip')!.body);
    expect(entries.map(({ name }) => name)).to.deep.equal(['a.txt', 'b.txt', 'a (2).txt', 'm.json']);
    const { files } = readManifest(contentOf(entries[3]!).toString());
    expect(files[2]).to.include({ index: 2, filename: 'a.txt', entry: 'a (2).txt' });
  });

  for (const [what, filenames, change] of [
    ['a name that leaves the directory', ['a', '../b', 'c'], {}],
    ['a name that is invalid on Windows', ['a', 'b:', 'c'], { portableNames: 'refuse' }],
    ['names that differ in case only', ['a', 'A', 'c'], { portableNames: 'refuse' }],
  ] as const)
    it(`refuses ${what} before it sends a request to the store (Z12, Z13)`, async () => {
      async function readFiles() {
        return filenames.map((filename) => ({ url: 'http://source/', filename }));
      }
      const error = await harness.failing(undefined, { readFiles, task: { ...task, ...change } });
      expect(error).to.deep.include({ code: 'InvalidTask', retryable: false, details: { fileIndex: 1 } });
      expect(harness.hostile.requests.length).to.equal(0);
    });

  it('refuses a manifest that has the name of a file', async () => {
    const error = await harness.failing(undefined, { task: { ...task, manifestEntry: 'file-1' } });
    expect(error).to.include({ code: 'InvalidTask' });
  });
});
