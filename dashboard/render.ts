import { Eta } from 'eta';
import { FORMAT } from './format.ts';
import type { Frame } from './frame/frame.ts';

/** HTML of a template below this folder. In it `it.frame` is the frame, `it.view` the page's own data, `it.format` FORMAT. */
export type Render = (view: string, data: { readonly frame: Frame; readonly view: object }) => string;

export const createRender = (): Render => {
  const eta = new Eta({ views: import.meta.dirname, cache: true, autoEscape: true });
  return (view, data) => eta.render(view, { ...data, format: FORMAT });
};
