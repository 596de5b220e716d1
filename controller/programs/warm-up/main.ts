/** Fills Node's compile cache for the controller while its image is built. */
import { join } from 'node:path';
import { warmUp } from '#runtime/process/warm-up.ts';

await warmUp(join(import.meta.dirname, '../../main.ts'), {
  ...process.env,
  POD_NAME: 'warm-up',
  POD_NAMESPACE: 'warm-up',
  ZIPPER_IMAGE: 'warm-up',
});
