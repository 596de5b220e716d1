import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';
const CLASSES = ['burstable', '.', 'besteffort'];

/** Memory of a cgroup as the kubelet counts it: bytes of processes, their page cache and their part of the kernel. */
export interface CgroupMemory {
  readonly usage: number;
  /** Peak of `usage`. */
  readonly peak: number;
  /** Without page cache that was not used recently. The kubelet evicts pods by this figure. */
  readonly workingSet: number;
}

/** Where the memory of a cgroup is counted. */
function folderOf(name: string): string {
  const isVersion2 = existsSync(join(MOUNT, 'cgroup.controllers'));
  return join(MOUNT, isVersion2 ? '' : 'memory', name);
}

function namesOf(parent: string, uid: string): readonly string[] {
  return CLASSES.map((one) => join(parent, 'kubepods', one, `pod${uid}`));
}

/** The folders that the cgroup of a pod may have, one for each class of pods. Those of its containers are below it. */
export function cgroupsOfPod(parent: string, uid: string): readonly string[] {
  return namesOf(parent, uid).map(folderOf);
}

/** The memory of all pods of the node whose cgroups have this parent. */
export function memoryOfPods(parent: string): Promise<CgroupMemory | undefined> {
  return memoryOf(join(parent, 'kubepods'));
}

/** The memory of a pod, with all its containers; undefined if it has no cgroup now. */
export async function memoryOfPod(parent: string, uid: string): Promise<CgroupMemory | undefined> {
  for (const name of namesOf(parent, uid)) {
    const memory = await memoryOf(name);
    if (memory !== undefined) return memory;
  }
  return undefined;
}

async function memoryOf(name: string): Promise<CgroupMemory | undefined> {
  const isVersion2 = existsSync(join(MOUNT, 'cgroup.controllers'));
  const folder = folderOf(name);
  function read(file: string): Promise<string> {
    return readFile(join(folder, file), 'utf8');
  }
  try {
    const [usage, peak, stat] = await Promise.all([
      read(isVersion2 ? 'memory.current' : 'memory.usage_in_bytes'),
      read(isVersion2 ? 'memory.peak' : 'memory.max_usage_in_bytes'),
      read('memory.stat'),
    ]);
    const inactive = /^(?:total_)?inactive_file (\d+)$/m;
    // With version 1, only the values with a prefix include the cgroups below.
    const total = /^total_inactive_file (\d+)$/m.exec(stat) ?? inactive.exec(stat);
    return { usage: Number(usage), peak: Number(peak), workingSet: Number(usage) - Number(total?.[1] ?? 0) };
  } catch {
    // It was removed.
    return undefined;
  }
}
