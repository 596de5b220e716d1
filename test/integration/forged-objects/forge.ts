/** Creates objects that look like ours, of every kind that a user may create. */

import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { TerminationMessage } from '#crds/termination-message.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import type { ApiResource } from '#test/permissions/api-resources.ts';
import { ended, failureMessage } from '#test/support/builders/pod-statuses.ts';
import type { KubeResponse, KubeUser } from '#test/support/clients/kube-user.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { manifestOf } from './bodies.ts';
import { type Disguise, disguiseOf, type Imitated } from './disguise.ts';
import { collectionOf, kindName } from './kinds.ts';

/** How often a kind was created in a namespace, and what refused the other attempts. */
export interface Tally {
  readonly kind: string;
  readonly created: number;
  /** Number of attempts by who refused them. */
  readonly refused: ReadonlyMap<string, number>;
}

const AT_ONCE = 8;
/** Texts that forged pods end with. */
export const FORGED_TEXT = 'forged by mallory';

function refuserOf({ status, message }: KubeResponse, what: string): string {
  const policy = /ValidatingAdmissionPolicy '([^']+)'/.exec(message)?.[1];
  if (policy !== undefined) return policy;
  if (status === 409) return 'the name is taken';
  if (message.includes('error looking up service account')) return 'the missing service account';
  throw new Error(`Describe the kind in bodies.ts. ${what}: ${status} ${message}`);
}

/** What the kubelet writes about a pod whose container wrote this. Users cannot write it themselves. */
const MESSAGES: readonly [number, TerminationMessage][] = [
  [EXIT_CODES.sourceFailed, failureMessage('SourceNotFound', { message: FORGED_TEXT })],
  [
    EXIT_CODES.ok,
    {
      contractVersion: CONTRACT_VERSION,
      mode: 'archive',
      result: {
        bytes: 1,
        etag: FORGED_TEXT,
        entries: 1,
        seconds: 1,
        peakMemory: 1,
        retries: 0,
        contractVersion: CONTRACT_VERSION,
      },
    },
  ],
  [
    EXIT_CODES.ok,
    {
      contractVersion: CONTRACT_VERSION,
      mode: 'recover',
      recovered: { outcome: 'published', bytes: 1, etag: FORGED_TEXT },
    },
  ],
];

export interface Forgery {
  /** The forger. */
  readonly user: KubeUser;
  /** Plays the kubelet. */
  readonly node: KubeUser;
  readonly kinds: readonly ApiResource[];
  readonly namespace: string;
  readonly perKind: number;
}

/** The pod may be gone already: its owner does not exist in its namespace. */
async function endPod(node: KubeUser, path: string, n: number): Promise<void> {
  const [exitCode, message] = MESSAGES[n % MESSAGES.length] ?? [EXIT_CODES.ok, FORGED_TEXT];
  const body = { status: ended({ exitCode, message }) };
  const { status, message: text } = await node.request('PATCH', `${path}/status`, { body });
  if (status !== 200 && status !== 404) throw new Error(`${path}: ${status} ${text}`);
}

async function forgeKind(forgery: Forgery, kind: ApiResource, imitated: Imitated): Promise<Tally> {
  const { user, node, namespace, perKind } = forgery;
  const collection = collectionOf(kind, namespace);
  const refused = new Map<string, number>();
  let created = 0;
  async function create(disguise: Disguise, n: number): Promise<void> {
    const body = manifestOf(kind, disguise, namespace);
    const response = await user.request('POST', collection, { body });
    if (response.status === 201) {
      created += 1;
      if (kindName(kind) === 'pods') await endPod(node, `${collection}/${body.metadata.name}`, n);
      return;
    }
    const refuser = refuserOf(response, `${collection}/${body.metadata.name}`);
    refused.set(refuser, (refused.get(refuser) ?? 0) + 1);
  }
  await inParallel(perKind, AT_ONCE, (n) => create(disguiseOf(imitated, n), n));
  return { kind: kindName(kind), created, refused };
}

const OWNERS = ['zipjobs.zipjobs.dev', 'jobs.batch', 'pods'];

/** Owners come before the objects that name them. */
export async function forge(forgery: Forgery, imitated: () => Promise<Imitated>): Promise<readonly Tally[]> {
  function rank(kind: ApiResource): number {
    return OWNERS.indexOf(kindName(kind));
  }
  const tallies: Tally[] = [];
  for (const kind of forgery.kinds.toSorted((a, b) => rank(a) - rank(b)))
    tallies.push(await forgeKind(forgery, kind, await imitated()));
  return tallies;
}

/** As a table: each kind, what was created in all namespaces together, and who refused the rest. */
export function tableOf(tallies: readonly Tally[]): readonly string[] {
  const byKind = Map.groupBy(tallies, ({ kind }) => kind);
  return [...byKind]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, own]) => {
      const created = own.reduce((sum, tally) => sum + tally.created, 0);
      const refused = own
        .flatMap((tally) => [...tally.refused])
        .reduce(
          (sums, [who, count]) => sums.set(who, (sums.get(who) ?? 0) + count),
          new Map<string, number>(),
        );
      const reasons = [...refused].map(([who, count]) => `${count} refused by ${who}`).join(', ');
      return `${kind.padEnd(46)} ${String(created).padStart(4)} created${reasons === '' ? '' : `, ${reasons}`}`;
    });
}
