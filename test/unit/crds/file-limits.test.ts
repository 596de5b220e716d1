import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { API_SETTINGS } from '#api/config.ts';
import { MOST_FILES } from '#crds/zip-job.ts';

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((holder, name) => Reflect.get(Object(holder), name), value);
}

describe('the limit of files per archive', () => {
  const text = readFileSync(new URL('../../../crds/zipjobs.yaml', import.meta.url), 'utf8');
  const zipJob = at(parse(text), 'spec.versions.0.schema.openAPIV3Schema.properties');
  const RESULT = 'status.properties.result.properties';
  const RECORDED = 'status.properties.upload.properties.archive.properties';

  for (const path of [RESULT, RECORDED].flatMap((holder) => [
    `${holder}.skipped.maxItems`,
    `${holder}.lengthUnverified.maxItems`,
    `${holder}.contentEncoded.maxItems`,
  ]))
    it(`is the cap of ${path} (F28)`, () => {
      expect(at(zipJob, path)).to.equal(MOST_FILES);
    });

  it('is the cap of a file list and of MAX_FILES, which also caps the limit of a project (F28)', () => {
    expect(at(zipJob, 'spec.properties.filesFrom.properties.count.maximum')).to.equal(MOST_FILES);
    expect(API_SETTINGS.maxFiles).to.include({ maximum: MOST_FILES, default: MOST_FILES });
  });
});
