import { readFile } from 'node:fs/promises';
import { parseQuantity } from './quantity.ts';

const SAMPLE_INTERVAL_MS = 100;
const KIB = 1024;

/** Memory that a cgroup counts and cannot reclaim, which excludes mapped files. */
async function unreclaimableBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  function kibibytes(name: string): number {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  }
  return (kibibytes('RssAnon') + kibibytes('RssShmem')) * KIB;
}

/**
 * Does what the kernel does with a container that exceeds its memory limit: calls `onExceeded` with its bytes, once. Does
 * nothing without a limit. The returned function stops the watch.
 */
export function watchMemory(
  pid: number,
  limit: string | undefined,
  onExceeded: (bytes: number) => void,
): () => void {
  if (limit === undefined) return () => undefined;
  const limitBytes = parseQuantity(limit);
  let isOver = false;
  function end(): void {
    isOver = true;
    clearInterval(timer);
  }
  async function check(): Promise<void> {
    const bytes = await unreclaimableBytes(pid);
    if (isOver || bytes <= limitBytes) return;
    end();
    onExceeded(bytes);
  }
  const timer = setInterval(() => void check(), SAMPLE_INTERVAL_MS);
  return end;
}
