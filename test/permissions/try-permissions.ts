import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { type ApiResource, readApiResources, resourceName } from './api-resources.ts';
import { type Attempt, attempt, attemptsOn, isRead, type Verdict } from './attempt.ts';
import { isDescribed } from './targets.ts';

/** An account whose token an attacker has. */
export interface Account {
  readonly name: string;
  readonly user: KubeUser;
  /** Tries only the resources of our group, for users whose roles come from Kubernetes. */
  readonly isTenant?: boolean;
}

/** What a role grants an account: one verb on one resource. */
export interface Permission {
  readonly account: string;
  /** With its group, such as `jobs.batch`. */
  readonly resource: string;
  /** The only name; undefined for all. */
  readonly named: string | undefined;
  readonly verb: string;
  /** Undefined: of the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  /** The policies that refuse it for objects of others. */
  readonly policies: readonly string[];
  /** False for a write that targets.ts does not describe, so that no policy was asked. */
  readonly isKnown: boolean;
}

/** Concurrent requests of one account. */
const AT_ONCE = 8;

interface Tried extends Attempt {
  readonly verdict: Verdict;
}

/** Such as `jobs.batch`. */
function fullName(resource: ApiResource): string {
  return `${resourceName(resource)}${resource.group === '' ? '' : `.${resource.group}`}`;
}

function merge(account: string, tried: readonly Tried[]): Permission[] {
  const granted = tried.filter(({ verdict }) => verdict !== 'denied');
  const [first] = granted;
  if (first === undefined) return [];
  const { resource, verb, named } = first;
  const verdicts = new Set(granted.map(({ verdict }) => verdict));
  return [
    {
      account,
      resource: fullName(resource),
      named,
      verb,
      namespaces: resource.namespaced ? granted.flatMap(({ namespace }) => namespace ?? []) : undefined,
      policies: verdicts.has('allowed') ? [] : [...verdicts].map((verdict) => verdict.replace('policy ', '')),
      isKnown: isRead(verb) || isDescribed(resource),
    },
  ];
}

/** Everything that is granted for one resource and verb. Names count only where not all names are granted. */
async function permissionsOn(
  { name, user }: Account,
  attempts: readonly Attempt[],
): Promise<readonly Permission[]> {
  const tried: Tried[] = [];
  for (const one of attempts) tried.push({ ...one, verdict: await attempt(user, one) });
  const all = merge(
    name,
    tried.filter(({ named }) => named === undefined),
  );
  if (all.length > 0) return all;
  const names = new Set(tried.flatMap(({ named }) => named ?? []));
  return [...names].flatMap((one) =>
    merge(
      name,
      tried.filter(({ named }) => named === one),
    ),
  );
}

function keyOf({ resource, verb }: { readonly resource: string; readonly verb: string }): string {
  return `${resource} ${verb}`;
}

/**
 * Tries every verb of every resource with every account, in every namespace. Leaves out what an account without any role may do
 * too, such as asking for its own rights.
 */
export async function tryPermissions(
  admin: KubeUser,
  {
    accounts,
    nobody,
    namespaces,
  }: {
    readonly accounts: readonly Account[];
    readonly nobody: Account;
    readonly namespaces: readonly string[];
  },
): Promise<readonly Permission[]> {
  const resources = await readApiResources(admin);
  type Task = Pick<Attempt, 'resource' | 'verb'>;
  function tasksOf({ isTenant = false }: Account): readonly Task[] {
    const wanted = resources.filter(({ group }) => !isTenant || group === 'zipjobs.dev');
    return wanted.flatMap((resource) => resource.verbs.map((verb) => ({ resource, verb })));
  }
  async function permissionsOf(account: Account, tasks = tasksOf(account)): Promise<readonly Permission[]> {
    const found: (readonly Permission[])[] = [];
    await inParallel(tasks.length, AT_ONCE, async (index) => {
      const task = tasks[index];
      if (task) found[index] = await permissionsOn(account, attemptsOn(task.resource, task.verb, namespaces));
    });
    return found.flat();
  }
  const granted: Permission[] = [];
  for (const account of accounts) granted.push(...(await permissionsOf(account)));
  const keys = new Set(granted.map(keyOf));
  const ofAnyone = tasksOf(nobody).filter(({ resource, verb }) =>
    keys.has(keyOf({ resource: fullName(resource), verb })),
  );
  const anyone = new Set((await permissionsOf(nobody, ofAnyone)).map(keyOf));
  const all = granted.filter((permission) => !anyone.has(keyOf(permission)));
  const unknown = all.filter(({ isKnown }) => !isKnown).map(keyOf);
  if (unknown.length > 0)
    throw new Error(
      `granted, but test/permissions/targets.ts does not describe what to try: ${unknown.join(', ')}`,
    );
  return all;
}
