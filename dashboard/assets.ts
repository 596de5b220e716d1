import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DashboardMiddleware } from './context.ts';

const TYPES = {
  'style.css': 'text/css; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
type AssetName = keyof typeof TYPES;

export interface Assets {
  /** Path of each asset. */
  readonly paths: Readonly<Record<AssetName, string>>;
  readonly serve: DashboardMiddleware;
}

const read = (name: AssetName) => {
  const body = readFileSync(join(import.meta.dirname, 'assets', name));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { name, type: TYPES[name], body, path: `/assets/${hash}/${name}` };
};

/** The path contains the hash of the file, so browsers can cache it forever. */
export const createAssets = (): Assets => {
  const all = [read('style.css'), read('live.js'), read('icon.svg')] as const;
  const byPath = new Map<string, (typeof all)[number]>(all.map((asset) => [asset.path, asset]));
  const [style, live, icon] = all;
  return {
    paths: { 'style.css': style.path, 'live.js': live.path, 'icon.svg': icon.path },
    serve: async (ctx, next) => {
      const asset = ctx.method === 'GET' || ctx.method === 'HEAD' ? byPath.get(ctx.path) : undefined;
      if (asset === undefined) return next();
      ctx.state.route = '/assets';
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.type = asset.type;
      ctx.body = asset.body;
    },
  };
};
