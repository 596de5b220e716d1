import type { HistoryList, ListedHistoryJob } from '#administration/projects/history-interface.ts';
import { TERMINAL_PHASES } from '#crds/zip-job.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import { clientNetwork } from '#runtime/http/client-network.ts';
import type { TakePlace } from '../user/user-places.ts';
import { HistoryApiError } from './api-error.ts';
import { readHistory } from './history-away.ts';
import type { History } from './history-reader.ts';
import { readListQuery } from './list-query.ts';
import { createProgramHandlers, type ProgramDeps, type ProgramHandler } from './program-handler.ts';
import { READ_HISTORY } from './read-history.ts';

interface HistoryApiDeps extends ProgramDeps {
  readonly history: History;
  /** A place for a search, by client address: a token does not say who its user is. */
  readonly takeSearch: TakePlace;
}

export interface HistoryApi {
  readonly list: ProgramHandler;
  readonly one: ProgramHandler;
}

function listedJob(job: HistoryJob): ListedHistoryJob[] {
  const phase = TERMINAL_PHASES.find((one) => one === job.phase);
  if (phase === undefined) return [];
  const { name, id, service, bucketName, key, reason, files, bytes, createdAt, finishedAt } = job;
  function orAbsent<T>(value: T | null): T | undefined {
    return value ?? undefined;
  }
  const shown = { project: job.namespace, name, id, service, bucketName, key, phase, reason, files, bytes };
  const known = defined({
    startedAt: orAbsent(job.startedAt),
    durationMs: orAbsent(job.durationMs),
    createdBy: orAbsent(job.createdBy),
    webhookState: orAbsent(job.webhookState),
    runAgainOf: orAbsent(job.runAgainOf),
  });
  return [{ ...shown, createdAt, finishedAt, ...known }];
}

/** The history as JSON for programs, with the access reviews of the pages. */
export function createHistoryApi(deps: HistoryApiDeps): HistoryApi {
  const { history, config, readForwarded } = deps;
  const handler = createProgramHandlers(deps);
  return {
    list: handler(READ_HISTORY, ({ projectUid, ctx }) =>
      readHistory(config.workTimeoutMs, async (signal) => {
        using _place = deps.takeSearch(clientNetwork(readForwarded(ctx.req).address));
        const { filter, ...page } = readListQuery(projectUid, new URLSearchParams(ctx.search));
        const { jobs, next, searchedTo } = await history.listJobs(filter, { ...page, signal });
        return { jobs: jobs.flatMap(listedJob), ...defined({ next, searchedTo }) } satisfies HistoryList;
      }),
    ),
    one: handler(READ_HISTORY, ({ projectUid, params }) =>
      readHistory(config.workTimeoutMs, async (signal) => {
        const id = params['job'] ?? '';
        const job = isUuid(id) ? await history.readJob({ projectUid, id }, signal) : undefined;
        if (job === undefined) throw new HistoryApiError('not_found', 'The history has no such job');
        return job;
      }),
    ),
  };
}
