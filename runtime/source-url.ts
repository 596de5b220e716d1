/** URLs of sources as callers write them. URL() repairs what it reads, so that another path could be requested than the text shows. */
import type { EgressPolicy } from './egress/egress-policy.ts';
import { type JudgedUrl, judgeUrl } from './egress/judge-url.ts';

export type JudgedSourceUrl =
  | JudgedUrl
  /** The request would differ from the text. The problem is the end of a sentence about the URL, and contains nothing of it. */
  | { readonly ok: false; readonly kind: 'text'; readonly problem: string };

const HTTP = /^https?:/i;
const RAW = /[\p{Cc} ]/u;
const RAW_CHARACTERS = /[\p{Cc} ]/gu;
/** Scheme, authority, path, and fragment (RFC 3986, Appendix B). */
const PARTS = /^[^:]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s;
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** What URL() changes silently, and what to write instead. */
const RULES: readonly (readonly [problem: string, isBroken: (text: string) => boolean])[] = [
  [
    'must not contain spaces, line breaks or other control characters: remove them, or percent-encode them (%20 for a space)',
    (text) => RAW.test(text) && HTTP.test(text.replaceAll(RAW_CHARACTERS, '')),
  ],
  [
    'must not contain a backslash: write %5C, or / between folders',
    (text) => HTTP.test(text) && text.includes('\\'),
  ],
  [
    'must have two slashes and a host after the scheme: write http:// or https://',
    (text) => HTTP.test(text) && !/^[^:]*:\/\/[^/]/.test(text),
  ],
  [
    'must not contain a user name or password',
    // The parsed URL does not show an empty one.
    (text) => HTTP.test(text) && PARTS.exec(text)?.[1]?.includes('@') === true,
  ],
  [
    'has a "." or ".." segment in its path, which clients resolve: write the path without it',
    (text) => HTTP.test(text) && DOT_SEGMENT.test(PARTS.exec(text)?.[2] ?? ''),
  ],
  [
    'has a ".", "/" or "?" after a #, and clients request only what is before a #: write %23, or remove the # and what follows',
    (text) => HTTP.test(text) && /[./?]/.test(PARTS.exec(text)?.[3] ?? ''),
  ],
];

/**
 * Judges a URL of a request or of a ZipJob: its text, then what judgeUrl does. The URL is without fragment, and a request for it differs
 * from the text only in percent-encoding, and in the spelling of the host. Pure.
 */
export const judgeSourceUrl = (text: string, policy: EgressPolicy): JudgedSourceUrl => {
  const rule = RULES.find(([, isBroken]) => isBroken(text));
  if (rule) return { ok: false, kind: 'text', problem: rule[0] };
  const judged = judgeUrl(text, policy);
  if (judged.ok && judged.url.hash !== '') judged.url.hash = '';
  return judged;
};
