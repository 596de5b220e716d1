import { defined } from '../collections/optional.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { isKubeError } from '../kube/client/kube-error.ts';
import { listPages } from '../kube/client/list-pages.ts';
import { collectionPath } from '../kube/client/resource-path.ts';
import { type ReadKind, resourceOf } from './kinds.ts';

export interface ListOptions {
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Objects of one list. */
export interface Listed {
  readonly items: readonly unknown[];
  /** False if the list is longer than the limit. */
  readonly isComplete: boolean;
}

/** Reads objects for the checks, each of which may read the same ones: each object and list is read once. */
export interface Reader {
  /** Undefined if the object, or its kind, does not exist. @throws ForbiddenReadError, KubeError */
  get(kind: ReadKind, name: string, namespace?: string): Promise<unknown>;
  /** Empty if the kind does not exist. @throws ForbiddenReadError, KubeError */
  list(kind: ReadKind, options?: ListOptions): Promise<Listed>;
  /** Creates an object as a dry run, which changes nothing. Resolves to the policy that refused it. @throws ForbiddenReadError, KubeError */
  refusingPolicy(kind: Pick<ReadKind, 'apiVersion' | 'plural'>, object: unknown): Promise<string | undefined>;
}

/** The user may not make a call, so the result of a check is not known. */
export class ForbiddenReadError extends Error {
  /** For `kubectl auth can-i`, such as `get leases.coordination.k8s.io -n zipjobs-system`. */
  readonly permission: string;

  constructor(permission: string, cause: unknown) {
    super(`Cannot ${permission}`, { cause });
    this.permission = permission;
  }
}

/** The rest of a list is not read. */
const LIST_LIMIT = 5_000;
const PAGE_SIZE = 500;

interface Call {
  readonly verb: 'get' | 'list' | 'create';
  readonly kind: Pick<ReadKind, 'apiVersion' | 'plural'>;
  readonly namespace?: string | undefined;
}

function permissionOf({ verb, kind, namespace }: Call): string {
  const where = namespace === undefined ? '--all-namespaces' : `-n ${namespace}`;
  return `${verb} ${resourceOf(kind)} ${where}`;
}

async function permitted<T>(call: Call, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (isKubeError(error, 'Forbidden') && error.policy === undefined)
      throw new ForbiddenReadError(permissionOf(call), error);
    throw error;
  }
}

async function ifExists<T, E>(task: Promise<T>, otherwise: E): Promise<T | E> {
  try {
    return await task;
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'NotServed')) return otherwise;
    throw error;
  }
}

export function createReader(kube: KubeClient, signal: AbortSignal): Reader {
  async function readList(kind: ReadKind, options: ListOptions): Promise<Listed> {
    const items: unknown[] = [];
    const pages = listPages(kube, kind, { pageSize: PAGE_SIZE, signal, ...defined(options) });
    for await (const page of pages) {
      items.push(...page.items);
      if (items.length > LIST_LIMIT) return { items: items.slice(0, LIST_LIMIT), isComplete: false };
    }
    return { items, isComplete: true };
  }
  const objects = new Map<string, Promise<unknown>>();
  const lists = new Map<string, Promise<Listed>>();
  return {
    get: (kind, name, namespace) => {
      const path = `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
      const object =
        objects.get(path) ??
        permitted({ verb: 'get', kind, namespace }, () =>
          ifExists(kube.request({ method: 'GET', path, signal }), undefined),
        );
      objects.set(path, object);
      return object;
    },
    list: (kind, options = {}) => {
      const key = JSON.stringify([kind.plural, options]);
      const call: Call = { verb: 'list', kind, namespace: options.namespace };
      const list =
        lists.get(key) ??
        permitted(call, () => ifExists(readList(kind, options), { items: [], isComplete: true }));
      lists.set(key, list);
      return list;
    },
    refusingPolicy: async (kind, object) => {
      const { namespace = '' } = (object as { metadata: { namespace?: string } }).metadata;
      const path = collectionPath({ ...kind, scope: 'Namespaced' }, namespace);
      return permitted({ verb: 'create', kind, namespace }, async () => {
        try {
          await kube.request({ method: 'POST', path, query: { dryRun: 'All' }, body: object, signal });
          return undefined;
        } catch (error) {
          if (isKubeError(error) && error.policy !== undefined) return error.policy;
          throw error;
        }
      });
    },
  };
}
