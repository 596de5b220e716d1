import type { Readable } from 'node:stream';
import { defined } from '#runtime/collections/optional.ts';
import { toError } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { addEntry, type DumpContext } from './dump-context.ts';
import type { PodFacts } from './facts.ts';
import { maskLines } from './mask-text.ts';

const NEWLINE = 10;

/** The last `maxBytes` bytes, starting at a line: half a line may contain half a secret, which masking does not detect. */
export async function endOf(body: AsyncIterable<unknown>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isCut = false;
  for await (const chunk of body) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    chunks.push(bytes);
    size += bytes.length;
    while (chunks[0] !== undefined && size - chunks[0].length >= maxBytes) {
      size -= chunks[0].length;
      chunks.shift();
      isCut = true;
    }
  }
  const all = Buffer.concat(chunks);
  if (!isCut && all.length <= maxBytes) return all.toString('utf8');
  const end = all.subarray(-maxBytes);
  const newline = end.indexOf(NEWLINE);
  return newline === -1 ? '' : end.subarray(newline + 1).toString('utf8');
}

interface Read {
  readonly what: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
}

/** Reads a text from the API server. On failure, notes the reason and returns undefined. */
async function readText(context: DumpContext, { what, path, query = {} }: Read): Promise<string | undefined> {
  const { kube, problems, limits, signal } = context;
  const limit = AbortSignal.timeout(limits.readMs);
  let body: Readable | undefined;
  try {
    body = await kube.stream({ method: 'GET', path, query, signal: AbortSignal.any([signal, limit]) });
    return await endOf(body, limits.logBytes);
  } catch (error) {
    signal.throwIfAborted();
    if (isKubeError(error, 'Unauthorized')) throw error;
    problems.note(what, limit.aborted ? `timed out after ${limits.readMs} ms` : toError(error).message);
    return undefined;
  } finally {
    body?.destroy();
  }
}

function podPath({ namespace, name }: PodFacts, suffix: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}${suffix}`;
}

async function collectLog(
  context: DumpContext,
  pod: PodFacts,
  container: { readonly name: string; readonly previous: boolean },
): Promise<void> {
  const { logLines, logSeconds } = context.limits;
  const entry = `logs/${pod.namespace}/${pod.name}/${container.name}${container.previous ? '.previous' : ''}.log`;
  const text = await readText(context, {
    what: entry,
    path: podPath(pod, '/log'),
    query: {
      container: container.name,
      tailLines: logLines,
      ...defined({ sinceSeconds: logSeconds }),
      ...(container.previous && { previous: true }),
    },
  });
  if (text !== undefined) await addEntry(context, entry, maskLines(text));
}

async function collectMetrics(context: DumpContext, pod: PodFacts): Promise<void> {
  if (pod.adminPort === undefined || pod.phase !== 'Running') return;
  const entry = `metrics/${pod.namespace}/${pod.name}.txt`;
  const path = podPath(pod, `:${pod.adminPort}/proxy/metrics`);
  const text = await readText(context, { what: entry, path });
  if (text !== undefined) await addEntry(context, entry, maskLines(text));
}

/** Most useful first: servers, then pods that did not succeed, then the newest. */
function order(a: PodFacts, b: PodFacts): number {
  return (
    Number(a.adminPort === undefined) - Number(b.adminPort === undefined) ||
    Number(a.phase === 'Succeeded') - Number(b.phase === 'Succeeded') ||
    b.createdAt.localeCompare(a.createdAt)
  );
}

/** Logs of the zipjobs pods, and metrics of those that serve them. A pod that never started is noted as a problem. */
export async function collectPods(context: DumpContext): Promise<void> {
  const { facts, limits, problems, progress } = context;
  const pods = facts.pods.toSorted(order);
  if (pods.length > limits.maxLogs)
    problems.note(
      'logs',
      `truncated: the dump contains the logs of ${limits.maxLogs} of ${pods.length} pods`,
    );
  for (const pod of pods.slice(0, limits.maxLogs)) {
    progress(`log of ${pod.namespace}/${pod.name}`);
    for (const { name, restarts } of pod.containers) {
      await collectLog(context, pod, { name, previous: false });
      if (restarts > 0) await collectLog(context, pod, { name, previous: true });
    }
    await collectMetrics(context, pod);
  }
}
