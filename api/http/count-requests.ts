import { statusClass } from '#runtime/http/status-class.ts';
import type { ApiMetrics } from '../metrics.ts';
import { type ApiMiddleware, projectOf } from './context.ts';

/** Counts requests by project. One without a valid token has none, so that only who can create namespaces can create series. */
export function createCountRequests({
  projects,
  requests,
}: Pick<ApiMetrics, 'projects' | 'requests'>): ApiMiddleware {
  return async (ctx, next): Promise<void> => {
    try {
      await next();
    } finally {
      const project = projectOf(ctx);
      const status = statusClass(ctx.status);
      if (project === '') requests.incWithout({ status });
      else {
        projects.note(project);
        requests.inc(project, { status });
      }
    }
  };
}
