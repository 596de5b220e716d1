/** URLs of sources as callers write them. URL() repairs what it reads, so that another path could be requested than the text shows. */
import type { EgressPolicy } from '../egress/egress-policy.ts';
import { type JudgedUrl, judgeUrl } from '../egress/judge-url.ts';

export type JudgedSourceUrl =
  | JudgedUrl
  /** The request would differ from the text. The problem is the end of a sentence about the URL, and contains nothing of it. */
  | { readonly ok: false; readonly kind: 'text'; readonly problem: string };

const HTTP = /^https?:/i;
const RAW_CHARACTERS = /[\p{Cc} ]/gu;
const TWO_SLASHES = /^[^:]*:\/\/[^/]/;
/** Scheme, authority, path, and fragment (RFC 3986, Appendix B). */
const PARTS = /^[^:]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s;
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

interface UrlText {
  readonly text: string;
  readonly authority: string;
  readonly path: string;
  readonly fragment: string;
}

/** What URL() changes silently in an http or https URL, and what to write instead. */
const RULES: readonly (readonly [problem: string, isBroken: (url: UrlText) => boolean])[] = [
  ['must not contain a backslash: write %5C, or / between folders', ({ text }) => text.includes('\\')],
  [
    'must have two slashes and a host after the scheme: write http:// or https://',
    ({ text }) => !TWO_SLASHES.test(text),
  ],
  // The parsed URL does not show an empty user name.
  ['must not contain a user name or password', ({ authority }) => authority.includes('@')],
  [
    'has a "." or ".." segment in its path, which clients resolve: write the path without it',
    ({ path }) => DOT_SEGMENT.test(path),
  ],
  [
    'has a ".", "/" or "?" after a #, and clients request only what is before a #: write %23, or remove the # and what follows',
    ({ fragment }) => /[./?]/.test(fragment),
  ],
];

function textProblem(text: string): string | undefined {
  const bare = text.replaceAll(RAW_CHARACTERS, '');
  if (!HTTP.test(bare)) return undefined;
  if (bare !== text)
    return 'must not contain spaces, line breaks or other control characters: remove them, or percent-encode them (%20 for a space)';
  const [, authority = '', path = '', fragment = ''] = PARTS.exec(text) ?? [];
  const url = { text, authority, path, fragment };
  return RULES.find(([, isBroken]) => isBroken(url))?.[0];
}

/**
 * Judges a URL of a request or of a ZipJob: its text, then what judgeUrl does. The URL is without fragment, and a request for it differs
 * from the text only in percent-encoding, and in the spelling of the host. Pure.
 */
export function judgeSourceUrl(text: string, policy: EgressPolicy): JudgedSourceUrl {
  const problem = textProblem(text);
  if (problem !== undefined) return { ok: false, kind: 'text', problem };
  const judged = judgeUrl(text, policy);
  if (judged.ok && judged.url.hash !== '') judged.url.hash = '';
  return judged;
}
