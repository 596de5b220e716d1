import { readFile } from 'node:fs/promises';

export interface ProcessMemory {
  /** Resident now, in bytes. */
  readonly resident: number;
  /** Peak resident memory, as counted by the kernel. */
  readonly peak: number;
}

/** The memory of a process according to the kernel; zeros after it has ended. */
export async function memoryOf(pid: number): Promise<ProcessMemory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  function bytes(field: string): number {
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
  }
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}
