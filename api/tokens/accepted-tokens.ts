import { uidOf } from '#crds/object-meta.ts';
import { MASK_LIMIT, MASK_LIMIT_OF_PROJECT, TOKEN_LIMIT, type ZipToken } from '#crds/zip-token.ts';
import { type Change, namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';

/** Why the API does not accept a token: a reason of its condition Accepted. */
export type TokenRefusal = 'TooManyTokens' | 'TooManyWithMask';

interface Entry {
  readonly key: ObjectKey;
  readonly mask: string;
  readonly createdAt: string;
  readonly uid: string;
}

/** The tokens of a project that count, oldest first, by mask. */
type Accepted = ReadonlyMap<string, readonly Entry[]>;

/** By age. Users choose neither the time nor the uid, so nobody can displace an older token. */
function byAge(a: Entry, b: Entry): number {
  const [left, right] = a.createdAt === b.createdAt ? [a.uid, b.uid] : [a.createdAt, b.createdAt];
  return left < right ? -1 : 1;
}

function entryOf(key: ObjectKey, token: ZipToken): Entry {
  return {
    key,
    mask: token.spec.masked,
    createdAt: token.metadata.creationTimestamp ?? '',
    uid: uidOf(token),
  };
}

function acceptedOf(entries: Iterable<Entry>): Accepted {
  const accepted = new Map<string, Entry[]>();
  for (const entry of [...entries].sort(byAge).slice(0, TOKEN_LIMIT)) {
    const same = accepted.get(entry.mask) ?? [];
    if (same.length < MASK_LIMIT_OF_PROJECT) accepted.set(entry.mask, [...same, entry]);
  }
  return accepted;
}

/** The tokens of one project. What is accepted is found again after a change, when it is needed. */
interface Project {
  readonly entries: Map<ObjectKey, Entry>;
  accepted: Accepted | undefined;
}

/**
 * Which access tokens count. A request does not say its project, so each token with the mask of the request must be hashed, and
 * owners of a project choose the masks of its tokens. The oldest tokens of a project count, and of one mask the oldest of each
 * project first, so that tokens of one project never displace those of another.
 */
export interface AcceptedTokens {
  /** Records a change of a cached ZipToken. */
  note(change: Change<ZipToken>): void;
  /** Increases with each change that can change what is accepted. */
  readonly version: number;
  /** The tokens with this mask that count, of the namespaces for which `isOpen` is true. */
  candidates(mask: string, isOpen: (namespace: string) => boolean): readonly ObjectKey[];
  /** The tokens that do not count. */
  refused(isOpen: (namespace: string) => boolean): ReadonlyMap<ObjectKey, TokenRefusal>;
}

/** The namespaces that have tokens with a mask. */
function createMaskIndex() {
  /** By mask: the number of tokens in each namespace. */
  const counts = new Map<string, Map<string, number>>();
  return {
    count: (namespace: string, mask: string, by: 1 | -1): void => {
      const ofMask = counts.get(mask) ?? new Map<string, number>();
      counts.set(mask, ofMask);
      const next = (ofMask.get(namespace) ?? 0) + by;
      if (next > 0) ofMask.set(namespace, next);
      else ofMask.delete(namespace);
      if (ofMask.size === 0) counts.delete(mask);
    },
    masks: (): readonly string[] => [...counts.keys()],
    namespacesOf: (mask: string): readonly string[] => [...(counts.get(mask)?.keys() ?? [])],
  };
}

/** All tokens, by namespace. */
function createProjects(masks: ReturnType<typeof createMaskIndex>) {
  const projects = new Map<string, Project>();
  let version = 0;
  function changed(namespace: string, project: Project): void {
    version += 1;
    project.accepted = undefined;
    if (project.entries.size === 0) projects.delete(namespace);
  }
  function remove(key: ObjectKey): void {
    const namespace = namespaceOf(key);
    const project = projects.get(namespace);
    const entry = project?.entries.get(key);
    if (project === undefined || entry === undefined) return;
    project.entries.delete(key);
    masks.count(namespace, entry.mask, -1);
    changed(namespace, project);
  }
  return {
    version: () => version,
    all: (): IterableIterator<[namespace: string, project: Project]> => projects.entries(),
    remove,
    add: (entry: Entry): void => {
      const namespace = namespaceOf(entry.key);
      const project: Project = projects.get(namespace) ?? { entries: new Map(), accepted: undefined };
      const known = project.entries.get(entry.key);
      if (known?.uid === entry.uid && known.mask === entry.mask) return;
      remove(entry.key);
      projects.set(namespace, project);
      project.entries.set(entry.key, entry);
      masks.count(namespace, entry.mask, 1);
      changed(namespace, project);
    },
    acceptedIn: (namespace: string): Accepted => {
      const project = projects.get(namespace);
      if (project === undefined) return new Map();
      project.accepted ??= acceptedOf(project.entries.values());
      return project.accepted;
    },
  };
}

export function createAcceptedTokens(): AcceptedTokens {
  const masks = createMaskIndex();
  const projects = createProjects(masks);
  const candidates: AcceptedTokens['candidates'] = (mask, isOpen) =>
    masks
      .namespacesOf(mask)
      .filter((namespace) => isOpen(namespace))
      .flatMap((namespace) => [...(projects.acceptedIn(namespace).get(mask) ?? []).entries()])
      .sort(([rank, entry], [otherRank, other]) => rank - otherRank || byAge(entry, other))
      .slice(0, MASK_LIMIT)
      .map(([, { key }]) => key);
  return {
    note: (change) => {
      if (change.kind === 'deleted') projects.remove(change.key);
      else projects.add(entryOf(change.key, change.object));
    },
    get version() {
      return projects.version();
    },
    candidates,
    refused: (isOpen) => {
      const refused = new Map<ObjectKey, TokenRefusal>();
      const accepted = new Set(masks.masks().flatMap((mask) => candidates(mask, isOpen)));
      for (const [namespace, { entries }] of projects.all()) {
        if (!isOpen(namespace)) continue;
        const late = new Set([...entries.values()].sort(byAge).slice(TOKEN_LIMIT));
        for (const entry of entries.values())
          if (late.has(entry)) refused.set(entry.key, 'TooManyTokens');
          else if (!accepted.has(entry.key)) refused.set(entry.key, 'TooManyWithMask');
      }
      return refused;
    },
  };
}
