/** Fills the compile cache of Node.js with the modules of the API while the image is built. */
import { join } from 'node:path';
import { warmUp } from '#runtime/process/warm-up.ts';

await warmUp(join(import.meta.dirname, '../../main.ts'), {
  ...process.env,
  PORT: '0',
  // Loads the client of the history. It connects only when a request needs it.
  HISTORY_HOST: '127.0.0.1',
});
