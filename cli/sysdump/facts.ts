import { LABELS } from '#crds/api-group.ts';
import { fieldAt, listAt, textAt } from '#runtime/kube/fields.ts';

/** The fields of a zipjobs pod that are needed to read its logs and metrics. */
export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly component: string;
  readonly phase: string;
  readonly image: string;
  readonly createdAt: string;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly containers: readonly { readonly name: string; readonly restarts: number }[];
  /** Port of the metrics; undefined if there is none. */
  readonly adminPort: number | undefined;
}

/** Number of occurrences by table row; the key is the row's columns, joined by tabs. */
export type Counts = ReadonlyMap<string, number>;

/** Input of the summary, collected while objects are read, so that the objects need not be kept. */
export interface Facts {
  readonly pods: readonly PodFacts[];
  /** Project, phase, reason. */
  readonly jobs: Counts;
  /** Project, state of the webhook. */
  readonly webhooks: Counts;
  /** Namespace, reason, kind of object. */
  readonly warnings: Counts;
  /** Kind, project, name, reason, message of objects that are not Ready. */
  readonly notReady: readonly (readonly string[])[];
  readonly charts: ReadonlySet<string>;
  /** Namespace, lease, holder, renewed. */
  readonly leases: readonly (readonly string[])[];
  /** Deployment -> container -> variable -> value, not yet masked. */
  readonly settings: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  note(object: unknown): void;
}

function podFacts(pod: unknown): PodFacts {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  function restartsOf(name: string): number {
    return Number(
      textAt(
        statuses.find((one) => textAt(one, 'name') === name),
        'restartCount',
      ),
    );
  }
  const specs = listAt(pod, 'spec', 'containers');
  const containers = specs.map((one) => {
    const name = textAt(one, 'name');
    return { name, restarts: restartsOf(name) };
  });
  const ports = specs.flatMap((one) => listAt(one, 'ports'));
  const admin = textAt(
    ports.find((port) => textAt(port, 'name') === 'admin'),
    'containerPort',
  );
  return {
    namespace: textAt(pod, 'metadata', 'namespace'),
    name: textAt(pod, 'metadata', 'name'),
    component: textAt(pod, 'metadata', 'labels', LABELS.component),
    phase: textAt(pod, 'status', 'phase'),
    image: textAt(specs[0], 'image'),
    createdAt: textAt(pod, 'metadata', 'creationTimestamp'),
    isReady: listAt(pod, 'status', 'conditions').some(
      (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
    ),
    restarts: containers.reduce((sum, { restarts }) => sum + restarts, 0),
    containers,
    adminPort: admin === '' ? undefined : Number(admin),
  };
}

function variable(one: unknown): readonly [string, unknown] {
  return [textAt(one, 'name'), fieldAt(one, 'valueFrom') ?? textAt(one, 'value')];
}

function settingsOf(deployment: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    listAt(deployment, 'spec', 'template', 'spec', 'containers').map((container) => [
      textAt(container, 'name'),
      Object.fromEntries(listAt(container, 'env').map(variable)),
    ]),
  );
}

function notReadyOf(object: unknown, kind: string): readonly string[] | undefined {
  const ready = listAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === 'Ready');
  if (ready === undefined || textAt(ready, 'status') === 'True') return undefined;
  const { namespace, name } = {
    namespace: textAt(object, 'metadata', 'namespace'),
    name: textAt(object, 'metadata', 'name'),
  };
  return [kind, namespace, name, textAt(ready, 'reason'), textAt(ready, 'message')];
}

function count(counts: Map<string, number>, ...columns: readonly string[]): void {
  const key = columns.map((column) => (column === '' ? '-' : column)).join('\t');
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function leaseFact(lease: unknown, namespace: string): readonly string[] {
  const [holder, renewed] = [textAt(lease, 'spec', 'holderIdentity'), textAt(lease, 'spec', 'renewTime')];
  return [namespace, textAt(lease, 'metadata', 'name'), holder, renewed];
}

export function createFacts(): Facts {
  const pods: PodFacts[] = [];
  const jobs = new Map<string, number>();
  const webhooks = new Map<string, number>();
  const warnings = new Map<string, number>();
  const notReady: (readonly string[])[] = [];
  const charts = new Set<string>();
  const leases: (readonly string[])[] = [];
  const settings = new Map<string, Readonly<Record<string, unknown>>>();

  function noteReady(object: unknown, kind: string): void {
    const fact = notReadyOf(object, kind);
    if (fact !== undefined) notReady.push(fact);
  }
  const notes: Readonly<Record<string, (object: unknown, namespace: string) => void>> = {
    Pod: (object) => {
      pods.push(podFacts(object));
    },
    ZipJob: (object, namespace) => {
      const code = textAt(object, 'status', 'failure', 'code');
      count(jobs, namespace, textAt(object, 'status', 'phase'), textAt(object, 'status', 'reason'), code);
      const webhook = fieldAt(object, 'status', 'webhook');
      for (const delivery of [webhook, ...listAt(webhook, 'endpoints')])
        count(webhooks, namespace, textAt(delivery, 'state'));
    },
    ZipProject: (object) => noteReady(object, 'ZipProject'),
    ZipBucket: (object) => noteReady(object, 'ZipBucket'),
    Event: (object, namespace) => {
      if (textAt(object, 'type') === 'Warning')
        count(warnings, namespace, textAt(object, 'reason'), textAt(object, 'involvedObject', 'kind'));
    },
    Lease: (object, namespace) => {
      leases.push(leaseFact(object, namespace));
    },
    Deployment: (object) => {
      charts.add(textAt(object, 'metadata', 'labels', 'helm.sh/chart'));
      settings.set(textAt(object, 'metadata', 'name'), settingsOf(object));
    },
  };
  return {
    pods,
    jobs,
    webhooks,
    warnings,
    notReady,
    charts,
    leases,
    settings,
    note: (object) => notes[textAt(object, 'kind')]?.(object, textAt(object, 'metadata', 'namespace')),
  };
}
