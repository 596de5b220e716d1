import { Registry } from 'prom-client';
import { connectClients } from '#controller/cluster/clients.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { createParts, type Parts } from '#controller/wiring/wiring.ts';
import { createKubeMetrics } from '#runtime/kube/kube-metrics.ts';
import { createLogger, type Logger } from '#runtime/log/log.ts';
import { withoutProjects } from '#runtime/metrics/project-labels.ts';
import { createServerClock } from '#runtime/time/server-clock.ts';
import { createBundleTrust } from '#runtime/tls/bundle-file.ts';
import { aConfig } from './config.ts';
import type { fixedKube } from './fixed-kube.ts';

const SILENT = createLogger('test', { level: 'silent' });

export interface FixedPartsOptions {
  readonly resources: AsyncDisposableStack;
  readonly stopping: AbortSignal;
  readonly registry?: Registry;
  readonly log?: Logger;
}

/** The parts of a controller with this API server. The caller runs the watches. */
export function fixedParts(
  kube: ReturnType<typeof fixedKube>,
  { resources, stopping, registry = new Registry(), log = SILENT }: FixedPartsOptions,
): Parts {
  const config = aConfig();
  const clock = createServerClock();
  const access = { server: kube.server } as Parameters<typeof connectClients>[0]['access'];
  const { clients } = connectClients({ access, requestTimeoutMs: 1000 }, resources);
  return createParts({
    config,
    log,
    metrics: createControllerMetrics(registry),
    projectLabels: withoutProjects(),
    kubeMetrics: createKubeMetrics(registry),
    clients,
    kube,
    stopping,
    clock,
    trust: createBundleTrust(config, { clock, log }),
    tracer: undefined,
  });
}
