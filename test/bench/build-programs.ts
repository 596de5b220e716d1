/** Builds the Go programs of the benchmark and of the readers before the tests that need them. A build beside them would slow down the tests that measure times. */
import { ClusterError } from '#tools/local-cluster/cluster-error.ts';
import { findRclone } from '../readers/remote-rclone.ts';
import { findFloor } from './floor-program.ts';
import { findLimitedServer } from './pipe/limited-server.ts';

function log(line: string): void {
  console.log(line);
}

try {
  if ((await findFloor(log)) !== undefined) {
    await findLimitedServer(log);
    await findRclone(log);
  }
} catch (error) {
  if (!(error instanceof ClusterError)) throw error;
  console.error(`${error.message} The tests that need it will fail.`);
}
