import { Registry } from 'prom-client';
import { connectClients } from '#controller/kube-state/clients.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { createParts, type Parts } from '#controller/wiring.ts';
import { createKubeMetrics } from '#runtime/kube/kube-metrics.ts';
import { createLogger } from '#runtime/log.ts';
import { createServerClock } from '#runtime/server-clock.ts';
import { createBundleTrust } from '#runtime/tls/bundle-file.ts';
import { aConfig } from './config.ts';
import { type FixedObjects, fixedKube } from './fixed-kube.ts';

/** The parts of a controller whose API server has these objects. The caller runs the watches. */
export const fixedParts = (
  objects: FixedObjects,
  { resources, stopping }: { readonly resources: AsyncDisposableStack; readonly stopping: AbortSignal },
): Parts => {
  const kube = fixedKube(objects);
  const config = aConfig();
  const log = createLogger('test', { level: 'silent' });
  const clock = createServerClock();
  const registry = new Registry();
  const access = { server: kube.server } as Parameters<typeof connectClients>[0]['access'];
  const { clients } = connectClients({ access, requestTimeoutMs: 1000 }, resources);
  return createParts({
    config,
    log,
    metrics: createControllerMetrics(registry),
    kubeMetrics: createKubeMetrics(registry),
    clients,
    kube,
    stopping,
    clock,
    trust: createBundleTrust(config, { clock, log }),
  });
};
