import { hasProgram } from '../readers/run-program.ts';

/** Skips the test, and says how to have it run, when a program that it runs is not installed; in CI that is a failure. */
export const requirePrograms = async (
  context: Mocha.Context,
  what: string,
  needs: readonly string[],
): Promise<void> => {
  const found = await Promise.all(needs.map(hasProgram));
  const missing = needs.filter((_, index) => found[index] !== true);
  if (missing.length === 0) return;
  const remedy = `${what} needs ${missing.join(', ')}`;
  if (process.env['CI'] === 'true') throw new Error(remedy);
  console.log(`      ${remedy}`);
  context.skip();
};
