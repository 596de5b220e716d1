import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DashboardMiddleware } from '../http/context.ts';

/** Parts of style.css, in the order in which they are joined. */
const STYLES = [
  'tokens',
  'base',
  'components',
  'frame',
  'jobs',
  'job',
  'overview',
  'settings',
  'buckets',
  'print',
] as const;
/** Each is served as a file of its own, and loaded with `defer` by the pages that contain what it needs. */
const SCRIPTS = [
  { name: 'live', needs: 'data-live' },
  { name: 'frame', needs: '' },
  { name: 'keys', needs: '' },
  { name: 'jobs', needs: 'finder' },
] as const;

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

/** Paths for the layout. */
export interface AssetPaths {
  readonly style: string;
  /** `needs`: a text of the pages that load it. */
  readonly scripts: readonly { readonly path: string; readonly needs: string }[];
  readonly icon: string;
}

export interface Assets {
  readonly paths: AssetPaths;
  readonly serve: DashboardMiddleware;
}

function read(...parts: readonly string[]): Buffer {
  return readFileSync(join(import.meta.dirname, '../assets', ...parts));
}

/** The path contains the hash of the body, so browsers can cache it forever. */
function assetOf(name: string, type: string, body: Buffer): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { path: `/assets/${hash}/${name}`, type, body };
}

/** A third of what each first visit loads is comments and white space. No string of the style has a space that this removes. */
function compactStyle(css: string): string {
  return css
    .split('*/')
    .map((part) => part.split('/*', 1).join(''))
    .join('')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}')
    .trim();
}

const FONT = 'inter-latin.woff2';

/** The style names the font as a file beside it, and gets the path under which it is served. */
function readStyle(font: Asset): Asset {
  const css = compactStyle(STYLES.map((part) => read('style', `${part}.css`).toString()).join('\n'));
  return assetOf(
    'style.css',
    'text/css; charset=utf-8',
    Buffer.from(css.replace(`'${FONT}'`, `'${font.path}'`)),
  );
}

/** Removes comments on lines of their own, and indentation. Scripts have no template literal of several lines. */
function compactScript(script: string): string {
  return script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .join('\n');
}

function readScript(name: string): Asset {
  const body = Buffer.from(compactScript(read('scripts', `${name}.js`).toString()));
  return assetOf(`${name}.js`, 'text/javascript; charset=utf-8', body);
}

export function createAssets(): Assets {
  const font = assetOf(FONT, 'font/woff2', read('font', FONT));
  const style = readStyle(font);
  const scripts = SCRIPTS.map(({ name, needs }) => ({ needs, ...readScript(name) }));
  const icon = assetOf('icon.svg', 'image/svg+xml', read('icon.svg'));
  const byPath = new Map([style, font, ...scripts, icon].map((asset) => [asset.path, asset]));
  return {
    paths: {
      style: style.path,
      scripts: scripts.map(({ path, needs }) => ({ path, needs })),
      icon: icon.path,
    },
    serve: async (ctx, next) => {
      const asset = ctx.method === 'GET' || ctx.method === 'HEAD' ? byPath.get(ctx.path) : undefined;
      if (asset === undefined) return next();
      ctx.state.route = '/assets';
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.type = asset.type;
      ctx.body = asset.body;
    },
  };
}
