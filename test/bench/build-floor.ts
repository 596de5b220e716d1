/** Builds the floor before the tests that need it. A build beside them would slow down the tests that measure times. */
import { ClusterError } from '#tools/local-cluster/cluster-error.ts';
import { findFloor } from './floor-program.ts';

try {
  await findFloor((line) => console.log(line));
} catch (error) {
  if (!(error instanceof ClusterError)) throw error;
  console.error(`${error.message} The tests of the benchmark will fail.`);
}
