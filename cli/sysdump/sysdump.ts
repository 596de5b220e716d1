import { stringify } from 'yaml';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { textAt } from '#runtime/kube/fields.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { createBundle } from './bundle.ts';
import { collectDefinitions, collectKind } from './collect-objects.ts';
import { collectPods } from './collect-pods.ts';
import { addEntry, type DumpContext, type DumpLimits } from './dump-context.ts';
import { createFacts } from './facts.ts';
import { type Asked, findNamespaces, type Namespaces } from './find-namespaces.ts';
import { CLUSTER_KINDS, NAMESPACED_KINDS } from './kinds.ts';
import { maskLines, maskValue } from './mask-text.ts';
import { collectNodes } from './node-summary.ts';
import { createProblems, type Problem, problemsText } from './problems.ts';
import { summaryText } from './summary.ts';

export interface SysdumpDeps {
  /** Authenticated as the user. */
  readonly kube: KubeClient;
  readonly clock: Pick<Clock, 'date'>;
  readonly progress: (line: string) => void;
  /** Version of the CLI. */
  readonly version: string;
}

export interface SysdumpRequest extends Asked {
  readonly path: string;
  readonly limits: DumpLimits;
}

export interface SysdumpResult {
  readonly path: string;
  readonly namespaces: Namespaces;
  /** Entries that are missing or truncated. */
  readonly problems: readonly Problem[];
}

/**
 * Writes one zip with the data that support needs. The zip lists everything that could not be read. The file exists only
 * once it is complete.
 * @throws KubeError when the API server cannot be reached, or rejects the user's credentials
 */
export type Sysdump = (request: SysdumpRequest, signal: AbortSignal) => Promise<SysdumpResult>;

/** Every user may make these calls, so invalid credentials or a wrong address fail before anything is written. */
async function firstWords({ kube }: SysdumpDeps, signal: AbortSignal) {
  const version = await kube.request({ method: 'GET', path: '/version', signal });
  const review = await kube.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    signal,
  });
  return {
    kubernetes: textAt(version, 'gitVersion'),
    user: textAt(review, 'status', 'userInfo', 'username'),
  };
}

async function collectCluster(context: DumpContext): Promise<void> {
  context.progress('cluster');
  await collectDefinitions(context);
  for (const kind of CLUSTER_KINDS)
    await collectKind(context, kind, { namespace: undefined, folder: 'cluster' });
  await collectNodes(context);
}

async function collectNamespace(context: DumpContext, namespace: string): Promise<void> {
  context.progress(`namespace ${namespace}`);
  for (const kind of NAMESPACED_KINDS)
    await collectKind(context, kind, { namespace, folder: `namespaces/${namespace}` });
}

async function collectAll(context: DumpContext, asked: Asked): Promise<Namespaces> {
  const namespaces = await findNamespaces(context, asked);
  for (const namespace of [...namespaces.system, ...namespaces.projects])
    await collectNamespace(context, namespace);
  await collectCluster(context);
  const settings = stringify(maskValue(Object.fromEntries(context.facts.settings)), { lineWidth: 0 });
  await addEntry(context, 'settings.yaml', settings);
  await collectPods(context);
  return namespaces;
}

export function createSysdump(deps: SysdumpDeps): Sysdump {
  return async (request, signal) => {
    const { kube, clock, progress, version } = deps;
    const { path, limits } = request;
    const words = await firstWords(deps, signal);
    const takenAt = clock.date();
    await using bundle = createBundle({ path, maxBytes: limits.maxBytes, date: takenAt });
    const [problems, facts] = [createProblems(), createFacts()];
    const context = { kube, bundle, problems, facts, limits, signal, progress };
    const namespaces = await collectAll(context, request);
    const summary = summaryText({
      ...words,
      takenAt,
      version,
      systemNamespaces: namespaces.system,
      projects: namespaces.projects,
      problemCount: problems.all.length,
      facts,
    });
    await bundle.addAlways('errors.txt', problemsText(problems.all));
    await bundle.addAlways('summary.txt', maskLines(summary));
    signal.throwIfAborted();
    await bundle.finish();
    return { path, namespaces, problems: problems.all };
  };
}
