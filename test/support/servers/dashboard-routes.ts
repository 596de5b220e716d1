import { Registry } from 'prom-client';
import { readDashboardConfig } from '#dashboard/config.ts';
import type { History } from '#dashboard/history/history-reader.ts';
import type { Route } from '#dashboard/http/page.ts';
import { createKnownJobs } from '#dashboard/live/known-jobs.ts';
import { createDashboardMetrics } from '#dashboard/metrics.ts';
import type { ReadRefused } from '#dashboard/refused/refused-reader.ts';
import { createRoutes } from '#dashboard/routes.ts';
import { createLogger } from '#runtime/log/log.ts';
import { systemClock } from '#runtime/time/clock.ts';
import type { DashboardServer } from './dashboard-server.ts';

/** Every route, for tests that must not miss one that is added later. */
export function dashboardRoutes(
  { zipJobs, zipProjects }: Pick<DashboardServer, 'zipJobs' | 'zipProjects'>,
  history?: History,
  readRefused?: ReadRefused,
): readonly Route[] {
  return createRoutes({
    caches: { zipJobs: zipJobs.reflector, zipProjects: zipProjects.reflector },
    jobs: createKnownJobs(),
    config: readDashboardConfig({}),
    clock: systemClock,
    metrics: createDashboardMetrics(new Registry()),
    log: createLogger('dashboard', { level: 'silent' }),
    takeSearch: () => new DisposableStack(),
    takeList: () => new DisposableStack(),
    history,
    readRefused,
    hasStarted: () => Promise.resolve(false),
    links: [],
  });
}

/** Paths of the routes that are documents: neither parts of a page nor files. */
export function pagePaths(
  routes: readonly Route[],
  params: Readonly<Record<string, string>>,
): readonly string[] {
  return routes
    .filter(({ method, path }) => method === 'GET' && !/\/live\/|\.csv$|\/download$/.test(path))
    .map(({ path }) => path.replaceAll(/:(\w+)/g, (whole, name: string) => params[name] ?? whole));
}

/** This document with its style, scripts and icons, uncompressed, in bytes. */
export async function viewBytes(html: string, get: (path: string) => Promise<string>): Promise<number> {
  const assets = new Set(
    [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, asset = '']) => asset),
  );
  const texts = [html, ...(await Promise.all([...assets].map(get)))];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Largest first view, so that a page opens at once on a slow connection. */
export const MOST_VIEW_BYTES = 100 * 1_024;
