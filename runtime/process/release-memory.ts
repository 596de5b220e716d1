import v8 from 'node:v8';
import vm from 'node:vm';

type CollectGarbage = (options: {
  readonly type: 'major';
  readonly execution: 'sync';
  readonly flavor?: 'last-resort';
}) => void;

/** V8's function `gc`, which other code does not get. */
function garbageCollection(): CollectGarbage {
  v8.setFlagsFromString('--expose-gc');
  const found = vm.runInNewContext('gc') as CollectGarbage;
  v8.setFlagsFromString('--no-expose-gc');
  return found;
}

/**
 * Returns memory that the heap no longer uses to the operating system. V8 keeps it otherwise, also when nothing happens:
 * 40 MiB after a list of 100,000 objects. Blocks the process while it runs.
 */
export function releaseMemory(): void {
  garbageCollection()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * Returns a function that collects the whole heap if its used memory has grown by this many bytes. Objects that live as long as a
 * request reach the old generation, which V8 lets grow to four times what is used before it collects it. Blocks the process for
 * some 10 ms when it collects.
 */
export function createGrowthLimit(growthBytes: number): () => void {
  let collect: CollectGarbage | undefined;
  let least = Infinity;
  return () => {
    const { used_heap_size: used } = v8.getHeapStatistics();
    least = Math.min(least, used);
    if (used - least < growthBytes) return;
    collect ??= garbageCollection();
    collect({ type: 'major', execution: 'sync' });
    least = v8.getHeapStatistics().used_heap_size;
  };
}
