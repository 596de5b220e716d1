import { type WaitOptions, waitOrTimeOut } from '#administration/changes/wait-for.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import type { Deployment, Lease, ServiceAccount } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import { createQuietCheck } from '#runtime/uninstall/leave-cluster.ts';
import { type AnyClient, releaseFinalizers } from '#runtime/uninstall/release-finalizers.ts';
import { takeOverLease } from '#runtime/uninstall/take-over-lease.ts';
import { type Controllers, findControllers } from './controllers.ts';

export interface UninstallOptions {
  readonly deployments: Pick<ObjectClient<Deployment>, 'list' | 'mergePatch'>;
  readonly leases: Pick<ObjectClient<Lease>, 'get' | 'replace'>;
  readonly serviceAccounts: Pick<ObjectClient<ServiceAccount>, 'get'>;
  /** One client for each kind that has our finalizer. */
  readonly finalized: readonly AnyClient[];
  readonly clock: Clock;
  /** Between two checks; long enough for a leader to notice that it lost its Lease. */
  readonly quietMs: number;
}

export interface UninstallRequest extends WaitOptions {
  /** Namespace of the release; every namespace is searched if missing. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

export interface Uninstalled {
  readonly controllers: readonly Pick<Controllers, 'namespace' | 'name'>[];
  /** Number of objects whose finalizer was removed. */
  readonly released: number;
}

const IDENTITY = 'zipjobs-uninstall';

function stoppedAgain({ namespace, name }: Controllers): AdministrationError {
  return new AdministrationError(
    `Deployment "${name}" in namespace "${namespace}" was scaled up again, so its controllers add finalizers again. Suspend what manages it, such as the automated sync of Argo CD, then run the command again`,
    { code: 'Refused' },
  );
}

function ambiguous(namespaces: readonly string[]): AdministrationError {
  return new AdministrationError(
    `Deployments in several namespaces have the labels of the controller: ${namespaces.join(', ')}. Anyone who may create a Deployment can add them, so name the namespace of the chart with --system-namespace`,
    { code: 'Refused' },
  );
}

function takeOver(
  options: Pick<UninstallOptions, 'leases' | 'serviceAccounts' | 'clock'>,
  controllers: readonly Controllers[],
) {
  return async (signal: AbortSignal): Promise<boolean> => {
    const taken = controllers.map(({ namespace, leaseName, serviceAccountName }) =>
      takeOverLease(
        { ...options, namespace, name: leaseName, serviceAccountName, identity: IDENTITY },
        signal,
      ),
    );
    return (await Promise.all(taken)).some((wasLed) => wasLed);
  };
}

interface Released {
  readonly count: number;
  /** Those that are there now. */
  readonly controllers: readonly Controllers[];
}

/** Removes all finalizers. Checks until two consecutive lists are empty. */
function release(
  { deployments, finalized, clock, quietMs, ...options }: UninstallOptions,
  controllers: readonly Controllers[],
  { namespace, ...wait }: UninstallRequest,
): Promise<Released> {
  let count = 0;
  const check = createQuietCheck({
    takeOver: takeOver({ ...options, clock }, controllers),
    release: async (signal) => {
      const found = await releaseFinalizers(finalized, signal);
      count += found;
      return found;
    },
  });
  return waitOrTimeOut(
    { ...wait, clock },
    async (signal) => {
      if (await check(signal))
        return { count, controllers: await findControllers(deployments, namespace, signal) };
      await pause(clock, quietMs, signal);
      return undefined;
    },
    () =>
      `Could not remove all finalizers within ${Math.round(wait.limitMs / 1000)} s. Run the command again`,
  );
}

/** Does what the chart's pre-delete hook does, for clients that run no hooks. Also works after the release is deleted. */
export function createUninstall(options: UninstallOptions) {
  return async (request: UninstallRequest): Promise<Uninstalled> => {
    const { namespace, signal } = request;
    const { deployments } = options;
    const controllers = await findControllers(deployments, namespace, signal);
    const namespaces = [...new Set(controllers.map((one) => one.namespace))];
    if (namespaces.length > 1) throw ambiguous(namespaces);
    // Without hooks, minutes can pass until the release is deleted, and the Lease is taken over for one minute only.
    for (const one of controllers)
      await deployments.mergePatch(
        { namespace: one.namespace, name: one.name },
        { spec: { replicas: 0 } },
        signal,
      );
    const released = await release(options, controllers, request);
    for (const one of released.controllers) if (one.replicas > 0) throw stoppedAgain(one);
    return {
      controllers: controllers.map(({ namespace: where, name }) => ({ namespace: where, name })),
      released: released.count,
    };
  };
}
