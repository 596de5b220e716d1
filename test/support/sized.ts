/**
 * The size of a property that does not depend on it: small in `.ci/run`, full in `npm run test:extended`, whose runner sets
 * `TEST_SIZE=full` and runs just the files that import this one.
 */
export function sized(small: number, full: number): number {
  return process.env['TEST_SIZE'] === 'full' ? full : small;
}
