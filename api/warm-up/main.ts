/** Fills the compile cache of Node.js with the modules of the API while the image is built. */
import { join } from 'node:path';
import { warmUp } from '#runtime/warm-up.ts';

await warmUp(join(import.meta.dirname, '../main.ts'), {
  ...process.env,
  PORT: '0',
});
