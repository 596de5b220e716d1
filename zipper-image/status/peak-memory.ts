import { readFile } from 'node:fs/promises';

/** Most bytes that were resident at once in this process so far: the kernel's own count, as an OOM kill would see it. */
export const peakMemoryBytes = async (): Promise<number> => {
  try {
    const status = await readFile('/proc/self/status', 'utf8');
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kib !== undefined) return Number(kib) * 1024;
  } catch {
    // Not on Linux: the count of getrusage below is the same by another way.
  }
  return process.resourceUsage().maxRSS * 1024;
};
