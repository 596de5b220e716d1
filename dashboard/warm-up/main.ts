/** Fills the compile cache of Node.js with the modules of the dashboard while the image is built. */
import { join } from 'node:path';
import { warmUp } from '#runtime/process/warm-up.ts';

await warmUp(join(import.meta.dirname, '../main.ts'), { ...process.env, PORT: '0' });
