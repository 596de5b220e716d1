import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { isAboveThreshold } from '#dashboard/overview/failure-rate.ts';

const ALERTS = 'charts/zipjobs/prometheus/alerts.yaml';

describe('the threshold of failures', () => {
  const cases = [
    { name: 'one failure among many jobs', succeeded: 9_999, caller: 0, operator: 1, above: false },
    { name: '10 failed jobs', succeeded: 0, caller: 10, operator: 0, above: false },
    { name: '11 failed jobs of callers', succeeded: 0, caller: 11, operator: 0, above: true },
    { name: 'exactly 20 %', succeeded: 16, caller: 4, operator: 0, above: false },
    { name: 'a quarter because of the service', succeeded: 12, caller: 0, operator: 4, above: true },
    // Failures of callers say nothing about the service, so they do not lower its rate.
    {
      name: 'a third of the jobs without those of callers',
      succeeded: 8,
      caller: 200,
      operator: 4,
      above: true,
    },
    { name: 'both below it', succeeded: 80, caller: 18, operator: 18, above: false },
  ];
  for (const { name, succeeded, caller, operator, above } of cases)
    it(`is ${above ? '' : 'not '}exceeded by ${name} (Q-O9)`, () => {
      expect(isAboveThreshold({ caller, operator }, succeeded)).to.equal(above);
    });

  it('is that of the alert ZipjobsFailureRatio (Q-O9)', async () => {
    const alerts = parse(await readFile(ALERTS, 'utf8')) as {
      readonly ZipjobsFailureRatio: { readonly expr: string; readonly threshold: number };
    };
    const { expr, threshold } = alerts.ZipjobsFailureRatio;
    expect(threshold).to.equal(0.2);
    expect(expr).to.match(/ > \$threshold and .* > 10$/);
  });
});
