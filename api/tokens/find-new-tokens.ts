import { PROJECT_NAME, projectKey } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { MASK_LIMIT, type ZipToken } from '#crds/zip-token.ts';
import type { Clock } from '#runtime/clock.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import { withTimeLimit } from '#runtime/kube/time-limit.ts';
import { type ObjectClient, objectKey, type Reflector } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';
import { serviceUnavailable } from '../api-error.ts';
import { createRequestPace, MAX_DELAY_MS } from '../rate-limits/request-pace.ts';
import type { AcceptedTokens } from './accepted-tokens.ts';
import { isOpenProject } from './verify-token.ts';

/**
 * The tokens with this mask that count although the watch has not reported them or their project yet. None if too many were searched
 * recently: everyone can cause a search.
 * @throws ApiError service_unavailable if the API server does not respond
 */
export type FindNewTokens = (mask: string) => Promise<readonly ZipToken[]>;

export interface FindNewTokensDeps {
  readonly tokens: Pick<Reflector<ZipToken>, 'get'>;
  readonly projects: Pick<Reflector<ZipProject>, 'get'>;
  readonly accepted: Pick<AcceptedTokens, 'candidates' | 'hasRoom'>;
  readonly tokenClient: Pick<ObjectClient<ZipToken>, 'list'>;
  readonly projectClient: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
  /** Time limit of one search. */
  readonly verificationTimeoutMs: number;
}

/** How long a result is used again, for clients that repeat a revoked token. */
const FRESH_MS = 1_000;
const SEARCHES_PER_SECOND = 10;
const BURST_MS = 2_000;

interface Search {
  readonly startedAt: number;
  readonly found: Promise<readonly ZipToken[]>;
}

/** Tokens that a cache has are judged, unless it lacks their project. */
const createIsNew =
  ({ tokens, projects, accepted }: FindNewTokensDeps) =>
  ({ metadata, spec: { masked } }: ZipToken): boolean => {
    const { namespace, uid } = metadata;
    const key = objectKey({ metadata });
    if (tokens.get(key)?.metadata.uid !== uid) return accepted.hasRoom(namespace, masked);
    return (
      projects.get(projectKey(namespace)) === undefined &&
      accepted.candidates(masked, () => true).includes(key)
    );
  };

const createSearch = (deps: FindNewTokensDeps) => {
  const { tokenClient, projectClient } = deps;
  const isNew = createIsNew(deps);
  return async (mask: string, signal: AbortSignal): Promise<readonly ZipToken[]> => {
    const all = await tokenClient.list({ fieldSelector: `spec.masked=${mask}`, signal });
    const found = all.filter((token) => token.spec.masked === mask && isNew(token)).slice(0, MASK_LIMIT);
    const namespaces = [...new Set(found.map(({ metadata }) => metadata.namespace))];
    const isOpen = await Promise.all(
      namespaces.map(async (namespace) =>
        isOpenProject(await projectClient.get(namespace, PROJECT_NAME, signal)),
      ),
    );
    return found.filter(({ metadata }) => isOpen[namespaces.indexOf(metadata.namespace)]);
  };
};

export const createFindNewTokens = (deps: FindNewTokensDeps): FindNewTokens => {
  const { clock, log, verificationTimeoutMs: ms } = deps;
  const search = createSearch(deps);
  const pace = createRequestPace({ clock, burstMs: BURST_MS });
  /** By mask, oldest first. The pace limits how many there are. */
  const searches = new Map<string, Search>();

  const find: FindNewTokens = async (mask) => {
    try {
      return await withTimeLimit({ attempt: 'search of a new token', ms }, (signal) => search(mask, signal));
    } catch (error) {
      if (!isKubeError(error) || error.retryable) throw serviceUnavailable(error);
      // Such as a definition of ZipToken without the field to select by.
      log.warn({ err: error }, 'could not search a token that the watch has not reported yet');
      return [];
    }
  };
  return (mask) => {
    const startedAt = clock.monotonicMs();
    for (const [old, { startedAt: then }] of searches) {
      if (then + FRESH_MS > startedAt) break;
      searches.delete(old);
    }
    const known = searches.get(mask);
    if (known !== undefined) return known.found;
    if (pace.request('searches', SEARCHES_PER_SECOND) > MAX_DELAY_MS) return Promise.resolve([]);
    const found = find(mask);
    searches.set(mask, { startedAt, found });
    return found;
  };
};
