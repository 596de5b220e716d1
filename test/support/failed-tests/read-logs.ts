/**
 * Reads the logs of processes that may explain a failed test from the cluster's folder, where they outlive
 * their pods.
 */
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import { RELEASE_NAMESPACE } from '../processes/installation.ts';
import { LIMITS } from './limits.ts';
import { lastLines, linesWithin, warningsWithin } from './log-lines.ts';
import type { TestWindow } from './test-window.ts';

/** Containers of the release that take part in a job. */
const OF_RELEASE = ['controller', 'api'];
const OF_KUBERNETES = ['kube-apiserver', 'kube-controller-manager'];

export interface LogQuestion {
  readonly window: TestWindow;
  /**
   * `namespace/name`; undefined when the API server did not respond: then every zipper within the time of the
   * test is included.
   */
  readonly zipJobs: readonly string[] | undefined;
  readonly mostLines: number;
}

interface ContainerLog {
  readonly pod: string;
  readonly container: string;
  /** The lowest is printed first. */
  readonly rank: number;
}

/** The last bytes of a file, from the start of a line. */
export const readTail = async (path: string, bytes: number): Promise<string> => {
  await using file = await open(path);
  const { size } = await file.stat();
  const position = Math.max(0, size - bytes);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - position), position });
  const text = buffer.toString('utf8', 0, bytesRead);
  return position === 0 ? text : text.slice(text.indexOf('\n') + 1);
};

/** The log in a pod's folder (`namespace_name_uid`), if the pod belongs to these ZipJobs. */
const logOf = (folder: string, zipJobs: readonly string[] | undefined): ContainerLog | undefined => {
  const [namespace = '', pod = ''] = folder.split('_');
  if (namespace === RELEASE_NAMESPACE) {
    const rank = OF_RELEASE.findIndex((container) => pod.includes(`-${container}-`));
    const container = OF_RELEASE[rank];
    return container === undefined ? undefined : { pod, container, rank: rank + 1 };
  }
  const isZipper = zipJobs?.some((zipJob) => `${namespace}/${pod}`.startsWith(`${zipJob}-`)) ?? true;
  return isZipper ? { pod, container: ZIPPER_CONTAINER, rank: 0 } : undefined;
};

/** Only pods that wrote while the test ran. */
const findLogs = async (dir: string, { zipJobs, window }: LogQuestion) => {
  const pods = join(dir, 'pods');
  const found = await Promise.all(
    (await readdir(pods)).map(async (folder) => {
      const log = logOf(folder, zipJobs);
      if (log === undefined) return [];
      const path = join(pods, folder, `${log.container}.log`);
      // A pod that has not started has no log.
      const changedAt = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      );
      return changedAt < window.from ? [] : [{ ...log, path, changedAt }];
    }),
  );
  return found.flat().sort((a, b) => a.rank - b.rank || b.changedAt - a.changedAt);
};

/** The API and the webhook logs identify a job only by its UUID. */
const withoutPrefix = (name: string): string => name.replace(/^zip-/, '');

/** Last lines of zippers, controllers and API pods. */
export const readLogs = async (dir: string, question: LogQuestion): Promise<readonly string[]> => {
  const files = (await findLogs(dir, question)).slice(0, LIMITS.logFiles);
  const words = (question.zipJobs ?? []).flatMap((zipJob) => zipJob.split('/').map(withoutPrefix));
  const most = Math.min(LIMITS.logLines, Math.floor(question.mostLines / Math.max(files.length, 1)) - 1);
  const blocks = await Promise.all(
    files.map(async ({ path, pod, container }) => {
      const lines = linesWithin(await readTail(path, LIMITS.logTailBytes), question.window);
      const shown = lastLines(lines, words, most).map((line) => `  ${line}`);
      return shown.length === 0 ? [] : [`Log of ${pod} ${container}`, ...shown];
    }),
  );
  return blocks.flat();
};

/** For a test without ZipJobs: the warnings of the control plane at that time. */
export const readWarnings = async (dir: string, window: TestWindow): Promise<readonly string[]> => {
  const blocks = await Promise.all(
    OF_KUBERNETES.map(async (name) => {
      const text = await readTail(join(dir, 'logs', `${name}.log`), LIMITS.logTailBytes).catch(() => '');
      const lines = warningsWithin(text, window).slice(-LIMITS.warnings);
      return lines.length === 0 ? [] : [`Warnings of ${name}`, ...lines.map((line) => `  ${line}`)];
    }),
  );
  return blocks.flat();
};
