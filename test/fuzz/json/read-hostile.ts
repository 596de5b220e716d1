import { isDeepStrictEqual } from 'node:util';
import { jsonLimits } from '#api/body/request-limits.ts';
import { parseStrictJson, type StrictJson } from '#api/body/strict-json.ts';
import { createReadRequest } from '#api/create/read-request.ts';
import { createRequestPolicy } from '#api/create/request-policy.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { errorCode } from '#runtime/errors.ts';
import { unlimitedFiles } from '#test/support/builders/file-budget.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';
import { runToEnd } from '#test/support/run-to-end.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { expectedOf } from './json-oracle.ts';

const LIMITS = { maxFiles: 10_000, maxUrlLength: 8_192, maxKeyBytes: 1_024, maxMetadataBytes: 16_384 };
const JSON_LIMITS = jsonLimits(LIMITS);
const PROJECT = aProject('team-a', { jobDefaults: { portableNames: 'refuse' } });
/** Larger bodies are not compared, because JSON.parse would block the event loop. */
const COMPARED_BYTES = 256 * 1024;
const REFUSED = new Set(['InvalidJson', 'NotAnObject', 'TooManyValues']);

function parse(body: Buffer): StrictJson | string {
  try {
    return runToEnd(parseStrictJson(body, JSON_LIMITS));
  } catch (error) {
    return errorCode(error) ?? String(error);
  }
}

/** Describes a difference between strict parsing and the oracle. */
function differenceOf(body: Buffer): string | undefined {
  const strict = parse(body);
  const expected = expectedOf(body, JSON_LIMITS);
  if (typeof strict === 'string') {
    if (!REFUSED.has(strict)) return `threw ${strict}`;
    return expected.isAccepted && strict !== 'TooManyValues' ? 'refused a valid body' : undefined;
  }
  if (!expected.isAccepted) return 'accepted an invalid body';
  if (!isDeepStrictEqual(strict.body, expected.value)) return 'parsed another value';
  const { metadataText } = strict;
  if ((metadataText === undefined) === Object.hasOwn(strict.body, 'metadata')) return 'missed the metadata';
  return metadataText === undefined || isDeepStrictEqual(JSON.parse(metadataText), strict.body['metadata'])
    ? undefined
    : 'found another metadata text';
}

/** Reads bodies as the API does. */
export function createReadHostile() {
  const requestPolicy = createRequestPolicy({
    ...projectClasses({ default: { filesPerJob: LIMITS.maxFiles } }),
    egress: createEgressPolicy({ allowCidrs: [], denyCidrs: [] }),
    limits: LIMITS,
  });
  const readRequest = createReadRequest({ requestPolicy, limits: LIMITS, fileBudget: unlimitedFiles() });
  /** How the API responds to the body, and how strict parsing differs from the oracle. */
  return async (
    body: Buffer,
  ): Promise<{ readonly outcome: string; readonly difference?: string | undefined }> => {
    const difference = body.length <= COMPARED_BYTES ? differenceOf(body) : undefined;
    try {
      await readRequest(body, PROJECT);
      return { outcome: 'accepted', difference };
    } catch (error) {
      return { outcome: errorCode(error) ?? String(error), difference };
    }
  };
}
