/** Builds the Go programs of the benchmark before the tests that need them. A build beside them would slow down the tests that measure times. */
import { ClusterError } from '#tools/local-cluster/cluster-error.ts';
import { findFloor } from './floor-program.ts';
import { findLimitedServer } from './pipe/limited-server.ts';

function log(line: string): void {
  console.log(line);
}

try {
  if ((await findFloor(log)) !== undefined) await findLimitedServer(log);
} catch (error) {
  if (!(error instanceof ClusterError)) throw error;
  console.error(`${error.message} The tests of the benchmark will fail.`);
}
