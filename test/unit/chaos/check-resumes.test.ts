import { expect } from 'chai';
import { archivesThatDiffer, checkInherited, countResumes } from '#test/chaos/check-resumes.ts';
import {
  RESUMING_VARIANTS,
  resumingEntries,
  resumingNames,
  resumingSources,
} from '#test/chaos/resuming-files.ts';
import type { SeenExchange } from '#test/chaos/violation.ts';
import { outcome, post } from './histories.ts';

const STATUS = '/apis/x/namespaces/n/zipjobs/zip-c0ffee/status';

/** One second after the one before. */
function inOrder(...all: readonly ReturnType<typeof post>[]): readonly SeenExchange[] {
  return all.flatMap((one, index) =>
    one.kind === 'exchange' ? [{ ...one, at: index * 1_000, endedAt: index * 1_000 + 1 }] : [],
  );
}

function write(phase: string, inherits?: string, status = 200) {
  return post('api-server', STATUS, { status, notes: { phase, ...(inherits && { inherits }) } });
}

function writeRecovered(recovered: 'Inherited' | 'Recovering') {
  return post('api-server', STATUS, { status: 200, notes: { phase: 'Running', inherits: 'u1', recovered } });
}

function abort(uploadId: string) {
  const path = `/bucket/k.zip?uploadId=${uploadId}`;
  return post('store', path, { request: { method: 'DELETE', path, headers: {}, actor: undefined } });
}

function faultsOf(...all: readonly ReturnType<typeof post>[]): number {
  const seen = inOrder(...all);
  const [api, store] = ['api-server', 'store'].map((place) => seen.filter((one) => one.place === place));
  return checkInherited(api ?? [], store ?? []).length;
}

describe('checkInherited', () => {
  it('reports an abort of an upload that the next pod is to continue', () => {
    expect(faultsOf(write('Running', 'u1'), abort('u1'))).to.equal(1);
    expect(faultsOf(write('Running', 'u1'), write('Running', 'u1'), abort('u1'))).to.equal(1);
    expect(faultsOf(write('Running', 'u1'), abort('u2'))).to.equal(0);
    expect(faultsOf(write('Running', 'u1', 409), abort('u1'))).to.equal(0);
  });

  it('accepts the abort by a recovery, after the last attempt has not decided whether it continues the upload', () => {
    const [inherited, recovering] = [writeRecovered('Inherited'), writeRecovered('Recovering')];
    expect(faultsOf(inherited, abort('u1'))).to.equal(1);
    expect(faultsOf(inherited, recovering, abort('u1'))).to.equal(0);
    expect(faultsOf(recovering, inherited, abort('u1'))).to.equal(1);
  });

  it('accepts the abort of a discarded upload, and of a job that ends', () => {
    const discarded = post('api-server', STATUS, { notes: { upload: 'discarded', uploadId: 'u1' } });
    expect(faultsOf(write('Running', 'u1'), discarded, abort('u1'))).to.equal(0);
    expect(faultsOf(write('Running', 'u1'), write('Finalizing', 'u1'), abort('u1'))).to.equal(0);
    // Its response was lost, so it may have been executed.
    expect(faultsOf(write('Running', 'u1'), write('Finalizing', 'u1', 500), abort('u1'))).to.equal(0);
  });
});

describe('countResumes', () => {
  it('counts the events that the API server accepted, refusals by their reason', () => {
    function event(name: string, text: string, status = 201) {
      return post('api-server', '/api/v1/namespaces/n/events', { status, notes: { event: name, text } });
    }
    const events = inOrder(
      event('Resumed', 'pod p continues the upload'),
      event('Resumed', 'pod p continues the upload', 500),
      event('ResumeRefused', 'pod p started a new upload. UploadGone: The store no longer has the upload.'),
    );
    expect(countResumes(events)).to.deep.equal({ resumed: 1, refused: { UploadGone: 1 } });
  });
});

describe('archivesThatDiffer', () => {
  it('reports other bytes of the same files', () => {
    const known = new Map<number, string>();
    function differ(variant: number, archive: string): number {
      return archivesThatDiffer(known, [outcome({ variant, archive })]).length;
    }
    expect([differ(0, 'a'), differ(1, 'b'), differ(0, 'a'), differ(0, 'b')]).to.deep.equal([0, 0, 0, 1]);
    expect(archivesThatDiffer(known, [outcome({ archive: 'c' })])).to.deep.equal([]);
  });
});

describe('resuming jobs', () => {
  for (let variant = 0; variant < RESUMING_VARIANTS; variant += 1)
    it(`have at least 40 MiB from sources that take ten seconds (variant ${variant})`, () => {
      const sources = resumingSources(variant, 'p/k.zip');
      const sizes = sources.map((path) => Number(/\/(\d+)\/\d+(?:\?|$)/.exec(path)?.[1]));
      expect(sizes.reduce((sum, size) => sum + size)).to.be.at.least(40 * 1024 * 1024);
      expect(sources.some((path) => path.endsWith('?in=k.zip&no-ranges'))).to.equal(true);
      expect(Object.keys(resumingEntries(variant))).to.include.members([...resumingNames(variant)]);
    });
});
