import { Eta } from 'eta';
import { FORMAT } from './format.ts';
import type { Frame } from './frame/frame.ts';

/** Renders a template of this folder. It gets the frame as `it.frame`, the page's data as `it.view` and FORMAT as `it.format`. */
export type Render = (view: string, data: { readonly frame: Frame; readonly view: object }) => string;

export const createRender = (): Render => {
  const eta = new Eta({ views: import.meta.dirname, cache: true, autoEscape: true });
  return (view, data) => eta.render(view, { ...data, format: FORMAT });
};
