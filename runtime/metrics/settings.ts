import type { Settings } from '../config/config.ts';

export const METRICS_SETTINGS = {
  metricsPerProject: {
    env: 'METRICS_PER_PROJECT',
    type: 'boolean',
    default: true,
    description:
      'adds the label project to metrics, for the 100 busiest projects; the others share the value _other',
    changeWhen: 'set it to false when Prometheus has too many series, or metrics may not contain namespaces',
  },
} as const satisfies Settings;
