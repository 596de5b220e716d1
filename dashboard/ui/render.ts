import { join } from 'node:path';
import { Eta } from 'eta';
import { FORMAT } from './format.ts';
import type { Frame } from './frame.ts';
import * as words from './words.ts';

/**
 * Renders a template of this folder. It gets the frame as `it.frame`, the page's data as `it.view`, FORMAT as `it.format` and
 * the exports of words.ts as `it.words`. An included template gets the same, and what the `include` adds.
 */
export type Render = (view: string, data: { readonly frame: Frame; readonly view: object }) => string;

export function createRender(): Render {
  const eta = new Eta({ views: join(import.meta.dirname, '..'), cache: true, autoEscape: true });
  return (view, data) => eta.render(view, { ...data, format: FORMAT, words });
}
