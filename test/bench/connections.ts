import { readdirSync, readlinkSync } from 'node:fs';

/** A connection is open for at least one request. One that is shorter than this may not be counted. */
const SAMPLE_MS = 20;

function socketOf(descriptor: string): string | undefined {
  try {
    const target = readlinkSync(descriptor);
    return target.startsWith('socket:') ? target : undefined;
  } catch {
    // Closed in the meantime.
    return undefined;
  }
}

/** The open sockets of a process, by numbers that the kernel does not reuse. Synchronous calls take less CPU time here. */
function socketsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => socketOf(`${folder}/${name}`) ?? []);
}

/** Counts the connections that servers accept. */
export interface ConnectionWatch extends Disposable {
  /** Connections of each process since the start. */
  counts(): readonly number[];
}

export function watchConnections(pids: readonly number[]): ConnectionWatch {
  const before = pids.map((pid) => new Set(socketsOf(pid)));
  const accepted = pids.map(() => new Set<string>());
  function sample(): void {
    for (const [index, pid] of pids.entries())
      for (const socket of socketsOf(pid))
        if (before[index]?.has(socket) === false) accepted[index]?.add(socket);
  }
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    counts: () => {
      sample();
      return accepted.map(({ size }) => size);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
