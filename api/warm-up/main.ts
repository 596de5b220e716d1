/** Fills Node's compile cache with what an API loads, while its image is built. */
import { join } from 'node:path';
import { warmUp } from '#runtime/warm-up.ts';

await warmUp(join(import.meta.dirname, '../main.ts'), {
  ...process.env,
  PORT: '0',
  // The dashboard's code is in the cache, too, and costs nothing where it is switched off.
  DASHBOARD_ENABLED: 'true',
});
