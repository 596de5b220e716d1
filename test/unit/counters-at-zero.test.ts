import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createApiMetrics } from '#api/metrics.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { createDashboardMetrics } from '#dashboard/metrics.ts';

/** Counters whose first increment must count, with the label whose values their help lists. */
const COUNTERS = [
  [createApiMetrics, 'zip_api_authentications_total', 'outcome'],
  [createApiMetrics, 'zip_api_rate_limited_total', 'limit'],
  [createApiMetrics, 'zip_api_delayed_requests_total', 'limit'],
  [createApiMetrics, 'zip_api_overloads_total', 'limit'],
  [createApiMetrics, 'zip_api_history_reads_total', 'outcome'],
  [createDashboardMetrics, 'zip_dashboard_overloads_total', 'limit'],
  [createControllerMetrics, 'zip_history_write_failures_total', 'reason'],
  [createControllerMetrics, 'zip_history_unstored_total', 'reason'],
] as const;

describe('a counter of refusals', () => {
  for (const [createMetrics, name, label] of COUNTERS)
    it(`${name} starts at zero for every ${label} of its help, so that rate() sees the first increment (Q-O2)`, async () => {
      const registry = new Registry();
      createMetrics(registry);
      const metric = (await registry.getMetricsAsJSON()).find((one) => one.name === name);
      const series = metric?.values.map(({ labels, value }) => [labels[label], value]) ?? [];
      expect(series.length, name).to.be.above(2);
      for (const [value, count] of series) {
        expect(metric?.help.slice(metric.help.indexOf(' by ')), `the help of ${name}`).to.match(
          new RegExp(`\\b${value}\\b`),
        );
        expect(count).to.equal(0);
      }
    });
});
