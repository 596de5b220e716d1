import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const { XDG_CACHE_HOME: cacheHome = '', HOME: home = '' } = process.env;
const cache = cacheHome === '' && home !== '' ? join(home, '.cache') : cacheHome;
// A static import would be compiled before. The directory is the user's: code from a shared one, such as /tmp, would run as this user.
if (cache !== '') enableCompileCache(join(cache, 'zipjobs'));
const { startProcess } = await import('./start.ts');
await startProcess();
