import { expect } from 'chai';
import { barChart, type Chart, lineChart } from '#dashboard/ui/charts/chart.ts';
import type { Frame } from '#dashboard/ui/frame.ts';
import { createRender } from '#dashboard/ui/render.ts';

const TEXTS = { id: 'jobs', label: 'Jobs per hour', unitLabel: 'Jobs' };

/** A template gets a chart as `it.chart`, which an include adds. */
const render = createRender();

function htmlOf(chart: Chart): string {
  const data = { frame: {} as Frame, view: {}, chart };
  return render('/ui/charts/chart', data);
}

describe('the template of a chart', () => {
  it('shows failed and succeeded without colour, also in its legend', () => {
    const html = htmlOf(
      barChart({
        ...TEXTS,
        unit: 'count',
        stepMs: 3_600_000,
        series: [
          { name: 'succeeded', look: 'good' },
          { name: 'failed', look: 'bad' },
        ],
        bars: [{ fromMs: 0, name: '00:00', values: [3, 1] }],
      }),
    );
    expect(html.match(/<rect class="bar bad"[^>]* fill="url\(#jobs-bad\)"/g)?.length).to.equal(2);
    expect(html).to.contain('<pattern id="jobs-bad"');
    expect(html).to.not.match(/<rect class="bar good"[^>]* fill=/);
    expect(html).to.contain('<title>00:00: 3 succeeded, 1 failed</title>');
  });

  it('has a name for screen readers, and labels of both axes', () => {
    const points = [0, 60_000].map((atMs) => ({ atMs, value: 4 * 1024 ** 2 }));
    const html = htmlOf(
      lineChart({ ...TEXTS, unit: 'bytes', lines: [{ name: 'read <b>', look: 'main', points }] }),
    );
    expect(html).to.contain('role="img" aria-label="Jobs per hour"');
    expect(html).to.match(/<text x="100%" y="10" dy="0.35em">4 MiB<\/text>/);
    expect(html).to.match(/<text x="0%" y="192">/);
    expect(html).to.match(/<polyline class="line main" points="0,10 100,10"\/>/);
    expect(html).to.not.contain('<b>');
  });
});
