/** Builds MinIO before the tests that need it. A build beside them would slow down the tests that measure times. */
import { ensureProgram } from './binaries.ts';
import { ClusterError } from './cluster-error.ts';
import { MINIO_PROGRAM } from './go-programs.ts';

try {
  await ensureProgram(MINIO_PROGRAM, (line) => console.log(line));
} catch (error) {
  if (!(error instanceof ClusterError)) throw error;
  console.error(`${error.message} The tests that need MinIO are skipped.`);
}
