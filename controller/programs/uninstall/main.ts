/** Helm runs this before an uninstall, so that no remaining object waits for a deleted controller. */

import { createKubeClient } from '#runtime/kube/client/client.ts';
import { createKubeConfig } from '#runtime/kube/client/kube-config.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Lifetime } from '#runtime/process/lifecycle.ts';
import { startProcess } from '#runtime/process/start-process.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { leaveCluster } from '#runtime/uninstall/leave-cluster.ts';
import { releaseFinalizers } from '#runtime/uninstall/release-finalizers.ts';
import { takeOverLease } from '#runtime/uninstall/take-over-lease.ts';
import { readUninstallConfig, type UninstallConfig } from './config.ts';

const NAME = 'zipjobs-uninstall';
const SHUTDOWN_MS = 5_000;

async function serve(config: UninstallConfig, log: Logger, lifetime: Lifetime): Promise<number> {
  const kube = lifetime.resources.use(
    createKubeClient({
      access: await createKubeConfig(config),
      requestTimeoutMs: config.kubeRequestTimeoutMs,
      userAgent: NAME,
    }),
  );
  const lease = {
    leases: createObjectClient(kube, RESOURCES.leases),
    serviceAccounts: createObjectClient(kube, RESOURCES.serviceAccounts),
    serviceAccountName: config.serviceAccountName,
    namespace: config.podNamespace,
    name: config.leaseName,
    identity: config.podName,
    clock: systemClock,
  };
  const clients = [
    createObjectClient(kube, RESOURCES.zipJobs),
    createObjectClient(kube, RESOURCES.zipBuckets),
    createObjectClient(kube, RESOURCES.zipProjects),
  ];
  const isDone = await leaveCluster({
    takeOver: (signal) => takeOverLease(lease, signal),
    release: (signal) => releaseFinalizers(clients, signal),
    quietMs: config.quietSeconds * 1000,
    clock: systemClock,
    log,
    signal: AbortSignal.any([lifetime.stopping, AbortSignal.timeout(config.limitSeconds * 1000)]),
  });
  if (!isDone) log.error('could not remove all finalizers in time; run helm uninstall again');
  return isDone ? 0 : 1;
}

await startProcess({
  name: NAME,
  env: process.env,
  readConfig: readUninstallConfig,
  serve,
  shutdownTimeoutMs: () => SHUTDOWN_MS,
});
