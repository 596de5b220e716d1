import { expect } from 'chai';
import { task } from '#test/unit/zipper-image/tasks/job-harness.ts';
import { type Plan, planDigest } from '#zipper-image/resume/plan.ts';

const PLAN: Plan = {
  task,
  files: [
    { url: 'https://a.example/1', filename: '1' },
    { url: 'https://a.example/2', filename: '2' },
  ],
  sizes: { partSizeBytes: 8, equalParts: false },
  sourceUnknownLengthZip64: false,
};

describe('the digest of a plan', () => {
  it('is the same for the same plan', () => {
    expect(planDigest(structuredClone(PLAN))).to.equal(planDigest(PLAN));
    expect(planDigest(PLAN)).to.match(/^[0-9a-f]{64}$/);
  });

  const others: Readonly<Record<string, Partial<Plan>>> = {
    'the task': { task: { ...task, key: 'another' } },
    'a file': { files: PLAN.files.with(1, { url: 'https://a.example/3', filename: '2' }) },
    'the number of files': { files: PLAN.files.slice(1) },
    'the size of parts': { sizes: { partSizeBytes: 16, equalParts: false } },
    'whether all parts are equal': { sizes: { partSizeBytes: 8, equalParts: true } },
    'the form of files of unknown length': { sourceUnknownLengthZip64: true },
  };
  for (const [what, change] of Object.entries(others))
    it(`depends on ${what} (G13)`, () => {
      expect(planDigest({ ...PLAN, ...change })).to.not.equal(planDigest(PLAN));
    });
});
