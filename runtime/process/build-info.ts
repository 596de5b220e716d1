import { Gauge, type Registry } from 'prom-client';

/** Exports the running version as a metric, so that dashboards can join on it. */
export function exportBuildInfo(registry: Registry, version: string): void {
  new Gauge({
    name: 'zip_build_info',
    help: 'Always 1; the label contains the version',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
}
