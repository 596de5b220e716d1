import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CHAOS_MUTANTS, MUTANTS } from '#scripts/mutant-list.ts';
import { ZIPPER_MUTANTS } from '#scripts/zipper-mutants.ts';

describe('mutants', () => {
  for (const { name, file, find, replace } of [...MUTANTS, ...ZIPPER_MUTANTS, ...CHAOS_MUTANTS])
    it(`change exactly one place: ${name}`, () => {
      expect(readFileSync(file, 'utf8').split(find)).to.have.lengthOf(2);
      expect(replace).to.not.equal(find);
    });
});
