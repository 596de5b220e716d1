/** The manifests that other programs verify: `sha256sum -c`, and validators of BagIt bags. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { SourceError } from '#zipper-image/sources/source-error.ts';
import { bodies, type Entries, entryOf, JobHarness, task } from './job-harness.ts';

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function failedAt(index: number): SourceError {
  return new SourceError(
    { index },
    { code: 'SourceNotFound', text: 'it responded with 404', retryable: false, httpStatus: 404 },
  );
}

describe('zipToS3 with a manifest', () => {
  let harness: JobHarness;
  beforeEach(async () => {
    harness = await JobHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  interface Given extends Partial<ArchiveTask> {
    readonly filenames?: readonly string[];
    readonly contents?: readonly Buffer[];
    readonly failing?: readonly number[];
  }
  function prepare({ filenames, contents = bodies, failing = [], ...change }: Given) {
    const names = filenames ?? contents.map((_, index) => `file-${index}`);
    const entries: Entries = async function* () {
      for (const [index, filename] of names.entries()) {
        const entry = { ...entryOf(contents[index] ?? Buffer.alloc(0), index), filename };
        if (!failing.includes(index)) yield entry;
        else yield { ...entry, declaredLength: undefined, small: undefined, failure: failedAt(index) };
      }
    };
    async function readFiles() {
      return names.map((filename) => ({ url: 'http://source/', filename }));
    }
    const count = { files: { from: 'inline', count: names.length } as const };
    return [entries, { readFiles, task: { ...task, ...count, ...change } }] as const;
  }
  async function archive(given: Given) {
    const result = await harness.run(...prepare(given));
    const bytes = harness.hostile.objects.get('a.zip')!.body;
    const zip = readZip(bytes);
    expect(result.entries).to.equal(zip.entries.length);
    const contents = new Map(zip.entries.map((entry) => [entry.name, contentOf(entry)]));
    return { bytes, names: zip.entries.map(({ name }) => name), contents };
  }
  /** The lines of a manifest, whose checksums must be those of the entries below `base`. */
  function listed(contents: ReadonlyMap<string, Buffer>, name: string, base = ''): readonly string[] {
    const text = contents.get(`${base}${name}`)!.toString();
    expect(text.endsWith('\n')).to.equal(true);
    return text
      .slice(0, -1)
      .split('\n')
      .map((line) => {
        const [, sum, path] = /^([0-9a-f]{64}) {2}(.+)$/s.exec(line)!;
        expect(sum, line).to.equal(sha256(contents.get(`${base}${path!.replace(/^\.\//, '')}`)!));
        return path!;
      });
  }

  describe('of the format sha256sum', () => {
    const manifestFormat = 'sha256sum';

    it('lists every file, with names as they are', async () => {
      const filenames = [
        '-',
        '-a',
        ' b c',
        '*d',
        '#e',
        '100%25',
        'é/雪',
        'o\u0301',
        'f\u2028g ',
        'x'.repeat(255),
      ];
      const { names, contents } = await archive({ manifestFormat, filenames });
      expect(names).to.deep.equal([...filenames, 'manifest-sha256.txt']);
      expect(listed(contents, 'manifest-sha256.txt')).to.deep.equal(['./-', ...filenames.slice(1)]);
    });

    for (const [onSourceError, want] of [
      ['Skip', ['file-0', 'file-2']],
      ['Placeholder', ['file-0', 'file-1.error.txt', 'file-2']],
    ] as const)
      it(`lists what is in the archive (${onSourceError})`, async () => {
        const { contents } = await archive({ manifestFormat, onSourceError, failing: [1] });
        expect(listed(contents, 'manifest-sha256.txt')).to.deep.equal(want);
      });

    it('is refused beside a file with its name, by the index of the file (C8)', async () => {
      for (const [name, portableNames] of [
        ['manifest-sha256.txt', 'keep'],
        ['manifest-sha256.txt/foo', 'keep'],
        ['Manifest-SHA256.txt', 'refuse'],
        ['manifest-sha256.TXT/foo', 'rewrite'],
      ] as const) {
        const given = { filenames: ['a', name], portableNames, manifestFormat } as const;
        const error = await harness.failing(...prepare(given));
        expect(error, name).to.deep.include({ code: 'InvalidTask', details: { fileIndex: 1 } });
        expect(error.message).to.contain('conflicts with the name of the manifest');
        expect(harness.leftovers).to.deep.equal([0, 0]);
      }
    });

    it('has a name that no rewritten name takes (C8)', async () => {
      const filenames = ['a', 'A', 'a?'];
      const change = { manifestEntry: 'A (2)', portableNames: 'rewrite' } as const;
      const { names } = await archive({ filenames, ...change });
      expect(names).to.deep.equal(['a', 'A (3)', 'a_', 'A (2)']);
    });
  });

  describe('of the format bagit', () => {
    const manifestFormat = 'bagit';
    const TAG_FILES = ['bagit.txt', 'bag-info.txt', 'manifest-sha256.txt', 'tagmanifest-sha256.txt'];

    it('makes the archive a bag in one folder', async () => {
      const filenames = ['bagit.txt', 'manifest-sha256.txt', 'data', '~/é', '-a'];
      const { names, contents } = await archive({ manifestFormat, filenames, key: 'a.zip' });
      const payload = filenames.map((name) => `data/${name}`);
      expect(names).to.deep.equal([...payload, ...TAG_FILES].map((name) => `a/${name}`));
      expect(contents.get('a/bagit.txt')!.toString()).to.equal(
        'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n',
      );
      const octets = bodies.reduce((sum, { length }) => sum + length, 0);
      expect(contents.get('a/bag-info.txt')!.toString()).to.equal(
        `Bagging-Date: 2026-01-02\nPayload-Oxum: ${octets}.5\n`,
      );
      expect(listed(contents, 'manifest-sha256.txt', 'a/')).to.deep.equal(payload);
      expect(listed(contents, 'tagmanifest-sha256.txt', 'a/')).to.deep.equal(TAG_FILES.slice(0, 3));
    });

    for (const [onSourceError, want] of [
      ['Skip', ['data/file-0', 'data/file-2']],
      ['Placeholder', ['data/file-0', 'data/file-1.error.txt', 'data/file-2']],
    ] as const)
      it(`lists and counts what is in the archive (${onSourceError})`, async () => {
        const { contents } = await archive({ manifestFormat, onSourceError, failing: [1] });
        expect(listed(contents, 'manifest-sha256.txt', 'a/')).to.deep.equal(want);
        const octets = want.reduce((sum, name) => sum + contents.get(`a/${name}`)!.length, 0);
        expect(contents.get('a/bag-info.txt')!.toString()).to.contain(
          `Payload-Oxum: ${octets}.${want.length}\n`,
        );
      });

    it('has the same bytes each time, with the date of the fixed modification time', async () => {
      const change = { manifestFormat, fixedModificationTime: '2025-12-31T23:30:00-02:00' } as const;
      const first = await archive(change);
      const second = await archive({ ...change, defaultModificationTime: '2030-01-01T00:00:00Z' });
      expect(second.bytes.equals(first.bytes)).to.equal(true);
      expect(first.contents.get('a/bag-info.txt')!.toString()).to.contain('Bagging-Date: 2026-01-01\n');
    });

    it('lists 10,000 empty files', async () => {
      const filenames = Array.from({ length: 10_000 }, (_, n) => `${n}`);
      const { contents } = await archive({ manifestFormat, filenames, contents: [] });
      expect(listed(contents, 'manifest-sha256.txt', 'a/')).to.have.length(10_000);
      expect(contents.get('a/bag-info.txt')!.toString()).to.contain('Payload-Oxum: 0.10000\n');
    });

    it('is refused for a name that validators misread, by its index', async () => {
      for (const name of ['100%', 'a\u2028b', 'a ', 'e\u0301']) {
        const error = await harness.failing(...prepare({ filenames: ['é', name], manifestFormat }));
        expect(error, name).to.deep.include({ code: 'InvalidTask', details: { fileIndex: 1 } });
      }
    });
  });

  it('fails if all files fail', async () => {
    for (const manifestFormat of ['sha256sum', 'bagit'] as const) {
      const given = { manifestFormat, onSourceError: 'Skip', failing: [0, 1, 2] } as const;
      expect(await harness.failing(...prepare(given))).to.include({ code: 'SourceNotFound' });
      expect(harness.leftovers).to.deep.equal([0, 0]);
    }
  });
});
