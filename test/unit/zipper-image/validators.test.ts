import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { ZIPPER_TASK_SCHEMA } from '#crds/zipper-task.ts';
import type { Validator } from '#runtime/config/validator.ts';
import { zipperValidators } from '#scripts/zipper-validators.ts';
import { OWN_ZIP_JOB_SCHEMA } from '#zipper-image/status/own-zip-job.ts';
import { validateOwnZipJob, validateTask } from '#zipper-image/validators/documents.ts';

const TASK = {
  contractVersion: 1,
  bucket: { service: 's3', name: 'b' },
  mode: 'recover',
  key: 'a.zip',
  attempt: 'pod',
  since: '2026-01-02T03:04:06Z',
  uploadState: 'open',
  uploadId: '1',
};
const WITHOUT_ID = { ...TASK, uploadId: undefined };
const TASKS = [
  TASK,
  WITHOUT_ID,
  { ...TASK, key: '' },
  { ...TASK, since: 'yesterday' },
  { ...TASK, mode: 'other' },
  { ...TASK, mode: 'check-bucket' },
  { ...TASK, contractVersion: 2 },
  { ...TASK, bucket: { service: 'ftp', name: 'b' } },
  [],
  null,
];
const ZIP_JOBS = [
  { metadata: { uid: 'u' }, spec: { files: [{ url: 'u', filename: 'f' }] } },
  { metadata: { uid: 'u' }, spec: { files: [{ url: 'u' }] } },
  { metadata: {}, spec: {} },
  { metadata: { uid: 'u' }, spec: {}, status: { attempts: [{ podUid: 1 }] } },
];

function faultsOf(validate: unknown, value: unknown) {
  const isValid = validate as Validator;
  return isValid(value) ? [] : isValid.errors;
}

describe('the generated validators of the zipper', () => {
  for (const [path, text] of Object.entries(zipperValidators()))
    it(`in ${path} are those of the schemas; otherwise run node scripts/compile-validators.ts`, () => {
      expect(readFileSync(path, 'utf8') === text).to.equal(true);
    });

  for (const [name, schema, generated, values] of [
    ['task', ZIPPER_TASK_SCHEMA, validateTask, TASKS],
    ['ZipJob', OWN_ZIP_JOB_SCHEMA, validateOwnZipJob, ZIP_JOBS],
  ] as const)
    it(`report the same faults of a ${name} as its schema`, () => {
      const compiled = new Ajv({ strict: true, discriminator: true }).compile(schema);
      for (const value of values) expect(faultsOf(generated, value)).to.deep.equal(faultsOf(compiled, value));
    });
});
