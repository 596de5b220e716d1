import { readFile } from 'node:fs/promises';

/** Peak resident memory of this process in bytes, as counted by the kernel, which also decides about OOM kills. */
export async function peakMemoryBytes(): Promise<number> {
  try {
    const status = await readFile('/proc/self/status', 'utf8');
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kib !== undefined) return Number(kib) * 1024;
  } catch {
    // Not on Linux: getrusage below reports a similar value.
  }
  return process.resourceUsage().maxRSS * 1024;
}
