import type { Sample } from '#runtime/samples/read-sample.ts';
import { block, example, type Html, html, tabs } from './html.ts';

/** The same program in several languages, below a text that introduces it. The legend is for screen readers. */
export function sampleTabs(id: string, legend: string, samples: readonly Sample[]): Html {
  return tabs(
    id,
    html`<legend class="hidden">${legend}</legend>`,
    samples.map(({ language, file, text }) => ({ label: language, panel: example(file, block(text)) })),
  );
}
