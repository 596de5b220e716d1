import type { IncomingMessage } from 'node:http';
import { isUuid } from '#crds/zip-job-facts.ts';
import { toError } from '#runtime/errors.ts';
import { type AdminResponse, type AdminRoute, json } from '#runtime/http/admin-server.ts';
import { bearerTokenIn } from '#runtime/kube/client/user-client.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { RefusedList } from '#runtime/refused-requests/refused-request.ts';
import { ERROR_CODES } from '../errors/error-codes.ts';
import type { RefusedLog } from './refused-log.ts';
import type { ReviewReader } from './review-reader.ts';
import type { SharedRefused } from './shared-refused.ts';

export interface ServeRefusedDeps {
  readonly entries: Pick<RefusedLog, 'of'>;
  /** Undefined without Redis. */
  readonly shared: Pick<SharedRefused, 'of'> | undefined;
  readonly review: ReviewReader;
  readonly startedAt: Date;
  readonly helpUrl: string;
  readonly log: Pick<Logger, 'warn'>;
}

const MEANINGS = Object.fromEntries(Object.entries(ERROR_CODES).map(([code, { text }]) => [code, text]));

async function sharedEntries(
  { shared }: ServeRefusedDeps,
  projectUid: string,
): Promise<Pick<RefusedList, 'entries' | 'sharing'>> {
  if (shared === undefined) return { entries: [], sharing: 'none' };
  try {
    return { entries: await shared.of(projectUid), sharing: 'redis' };
  } catch {
    // The writer of the entries has logged it.
    return { entries: [], sharing: 'away' };
  }
}

/** Undefined if the token is accepted. */
async function refusalOf({ review, log }: ServeRefusedDeps, request: IncomingMessage) {
  const token = bearerTokenIn(request.headers.authorization ?? '');
  if (token === undefined) return json(401, { error: 'send the token of the dashboard' });
  try {
    const verdict = await review(token);
    if (verdict === 'accepted') return undefined;
    return verdict === 'busy'
      ? json(503, { error: 'too many token reviews; try again' })
      : json(401, { error: 'this is not the token of the dashboard' });
  } catch (error) {
    log.warn({ err: toError(error) }, 'could not review the token of the dashboard');
    return json(503, { error: 'the Kubernetes API server did not review the token; try again' });
  }
}

/** `GET /refused-requests?project=UID` for the dashboard: what this process and Redis know of a project. */
export function createServeRefused(deps: ServeRefusedDeps): AdminRoute {
  return async (request): Promise<AdminResponse> => {
    const refusal = await refusalOf(deps, request);
    if (refusal !== undefined) return refusal;
    const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
    const projectUid = query.get('project') ?? '';
    if (!isUuid(projectUid)) return json(400, { error: 'project must be the uid of a ZipProject' });
    const { entries, sharing } = await sharedEntries(deps, projectUid);
    return json(200, {
      entries: [...entries, ...deps.entries.of(projectUid)],
      sharing,
      startedAtMs: deps.startedAt.getTime(),
      meanings: MEANINGS,
      helpUrl: deps.helpUrl,
    } satisfies RefusedList);
  };
}
