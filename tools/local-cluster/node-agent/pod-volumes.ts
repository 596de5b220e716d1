import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PathRule, pathRules } from './mounts.ts';
import type { Container, Pod, Volume } from './pod-types.ts';
import { type VolumeContext, VolumeNotReadyError, volumeFiles } from './volume-content.ts';
import { writeVolume } from './volume-directory.ts';

export interface PodVolumesOptions {
  /** Folder of the pod's volumes. */
  readonly directory: string;
  readonly context: () => VolumeContext;
  /** Called once for each different message. */
  readonly onWaiting: (message: string) => void;
}

const QUICK_RETRY_MS = 50;
const RETRY_MS = 500;
const QUICK_RETRIES = 10;
const REFRESH_MS = 15_000;

/** The folders of a pod's volumes, filled from the API server. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  rulesFor(container: Container): PathRule[] {
    return pathRules(container, (volume) => this.#directoryOf(volume));
  }

  /** Fills all volumes. Like a kubelet, waits for missing objects until the signal aborts. */
  async mount(pod: Pod, signal: AbortSignal): Promise<void> {
    await Promise.all((pod.spec.volumes ?? []).map((volume) => this.#mountVolume(volume, signal)));
  }

  /** Refreshes tokens, Secrets and ConfigMaps until the signal aborts. What cannot be read stays unchanged. */
  async keepFresh(pod: Pod, signal: AbortSignal): Promise<void> {
    const volumes = (pod.spec.volumes ?? []).filter((volume) => volume.emptyDir === undefined);
    while (await delay(REFRESH_MS, true, { signal }).catch(() => false)) await this.#refresh(volumes);
  }

  /** Updates the downward API files after the pod's labels or annotations have changed. */
  async refreshDownward(pod: Pod): Promise<void> {
    function own(volume: Volume): boolean {
      return (
        volume.downwardAPI !== undefined ||
        (volume.projected?.sources ?? []).some((source) => source.downwardAPI !== undefined)
      );
    }
    await this.#refresh((pod.spec.volumes ?? []).filter(own));
  }

  async #refresh(volumes: readonly Volume[]): Promise<void> {
    await Promise.allSettled(volumes.map((volume) => this.#write(volume)));
  }

  async #mountVolume(volume: Volume, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#write(volume);
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        // The first attempts may precede the API server's permission for this node.
        const known = error instanceof VolumeNotReadyError && attempt <= QUICK_RETRIES;
        if (!known)
          this.#options.onWaiting(`MountVolume.SetUp failed for volume "${volume.name}" : ${reason}`);
      }
      await delay(attempt <= QUICK_RETRIES ? QUICK_RETRY_MS : RETRY_MS, undefined, { signal });
    }
  }

  async #write(volume: Volume): Promise<void> {
    const directory = this.#directoryOf(volume.name);
    if (volume.emptyDir !== undefined) await mkdir(directory, { recursive: true });
    else await writeVolume(directory, await volumeFiles(volume, this.#options.context()));
  }

  #directoryOf(volume: string): string {
    return join(this.#options.directory, volume);
  }
}
