import type { RefusedRequestList } from '#administration/projects/refused-interface.ts';
import { createProgramHandlers, type ProgramDeps, type ProgramHandler } from '../history/program-handler.ts';
import { askAccess } from '../user/access.ts';
import { findRefused, READ_MASKS, READ_REFUSED } from './find-refused.ts';
import { readRefusedQuery } from './refused-query.ts';
import type { ReadRefused } from './refused-reader.ts';

/** The refused requests of a project as JSON for programs, with the access reviews of the page. */
export function createRefusedApi(deps: ProgramDeps & { readonly readRefused: ReadRefused }): ProgramHandler {
  const { readRefused, config } = deps;
  return createProgramHandlers(deps)(
    READ_REFUSED,
    async ({ namespace, projectUid, user, ctx }): Promise<RefusedRequestList> => {
      const [known, masks] = await Promise.all([
        readRefused(projectUid, AbortSignal.timeout(config.workTimeoutMs)),
        askAccess(user, namespace, READ_MASKS),
      ]);
      const query = readRefusedQuery(new URLSearchParams(ctx.search));
      return findRefused(known, { query, mayReadMasks: masks.allowed });
    },
  );
}
