/**
 * The size of a property that does not depend on it: small in `.ci/run`, full in `npm run test:extended`, whose runner sets
 * `TEST_SIZE=full` and runs just the files that import this one.
 */
export const sized = (small: number, full: number): number =>
  process.env['TEST_SIZE'] === 'full' ? full : small;
