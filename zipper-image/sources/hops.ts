/** The URLs of one source: the one of the file, and those of redirects. */
import type { EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { judgeUrl } from '#runtime/egress/judge-url.ts';
import { isBucketUrl } from '#runtime/zip-request/bucket-url.ts';
import { type JudgedSourceUrl, judgeSourceUrl } from '#runtime/zip-request/source-url.ts';
import type { ResponseHead } from './http-get.ts';
import { invalid } from './response-head.ts';
import { type SourceFault, SourceFaultError } from './source-error.ts';

const MAX_LOCATION_LENGTH = 8192;
/** Printable ASCII, because readers interpret other encodings of Location differently. Spaces are encoded, as all clients do. */
const PLAIN_LOCATION = /^[\x20-\x7e]+$/;

/** Refusals that are visible in the URL itself. All others look like a failed connection. */
const VISIBLE_REASONS: ReadonlySet<string> = new Set(['scheme', 'credentials', 'port']);

function notAllowed(reason: string): SourceFaultError {
  return new SourceFaultError({
    code: 'SourceInvalid',
    text: `the URL is not allowed because of its ${reason}`,
    retryable: false,
    ...(reason === 'port' && { refused: true }),
  });
}

function accept(judged: JudgedSourceUrl, text: string): URL {
  if (judged.ok) return judged.url;
  if (judged.kind === 'text') throw invalid(`the URL ${judged.problem}`);
  if (judged.kind === 'syntax') throw invalid('the URL is not valid');
  if (VISIBLE_REASONS.has(judged.reason)) throw notAllowed(judged.reason);
  throw new EgressRefusedError(URL.parse(text)?.hostname ?? '', judged.reason);
}

/** The zipper has no credentials of the bucket. */
export function notListed(bucket: string): SourceFault {
  const text = `spec.sourceBuckets of the ZipJob does not contain ${bucket}, and cannot be changed: create a new ZipJob that lists it`;
  return { code: 'SourceBucketMisconfigured', text, retryable: false };
}

/**
 * The URL of a file, as it is written.
 * @throws SourceFaultError, or EgressRefusedError if the address is refused
 */
export function firstHop(url: string, policy: EgressPolicy): URL {
  if (isBucketUrl(url)) throw new SourceFaultError(notListed('its bucket'));
  return accept(judgeSourceUrl(url, policy), url);
}

/**
 * The URL to which a redirect leads, resolved as clients do.
 * @throws SourceFaultError, or EgressRefusedError if the address is refused
 */
export function nextHop(head: ResponseHead, from: URL, policy: EgressPolicy): URL {
  const location = head.headers['location'];
  if (typeof location !== 'string') throw invalid('a redirect without one Location', head.status);
  if (location.length > MAX_LOCATION_LENGTH || !PLAIN_LOCATION.test(location))
    throw invalid('a redirect with a malformed Location', head.status);
  const resolved = URL.parse(location.replaceAll(' ', '%20'), from.href);
  if (!resolved) throw invalid('a redirect with a malformed Location', head.status);
  const url = accept(judgeUrl(resolved.href, policy), resolved.href);
  if (from.protocol === 'https:' && url.protocol === 'http:')
    throw invalid('a redirect from https to http', head.status);
  return url;
}
