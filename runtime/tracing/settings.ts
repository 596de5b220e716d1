import type { ConfigOf, Settings } from '../config/config.ts';

/** Where traces are sent, for every process that sends some. */
export const TRACING_SETTINGS = {
  tracingEndpoint: {
    env: 'TRACING_ENDPOINT',
    type: 'string',
    default: '',
    pattern: '^(https?://[^\\s/?#@]+(/[^\\s?#@]*)?)?$',
    description:
      'base URL of an OTLP/HTTP collector, such as http://otel-collector.monitoring:4318, to which /v1/traces is added; empty for no traces',
    changeWhen: 'set it when you want to see where the time of a job goes',
  },
  tracingSampleRatio: {
    env: 'TRACING_SAMPLE_RATIO',
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.1,
    description: 'part of the jobs that are traced, from 0 to 1; callers cannot change it',
    changeWhen: 'raise it when the job you look for has no trace; lower it when the collector drops spans',
  },
  tracingHeadersFile: {
    env: 'TRACING_HEADERS_FILE',
    type: 'string',
    default: '',
    description:
      'file with headers for the collector, one `Name: value` per line, read again for each request; empty for none',
    setBy: 'the chart, which mounts the Secret',
  },
} as const satisfies Settings;

export type TracingSettings = ConfigOf<typeof TRACING_SETTINGS>;
