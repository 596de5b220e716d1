/**
 * The rules of check-request as far as regular expressions can express them, for the OpenAPI document only. Tests
 * compare both. The patterns work the same in JavaScript, Python and Rust.
 */
const CONTROL = String.raw`\x00-\x1f\x7f-\x9f`;
const NO_DOT_SEGMENT = String.raw`(?!(?:[\s\S]*/)?\.{1,2}(?:/|$))`;
const SEGMENT = String.raw`[^/\\]+`;

export const KEY_PATTERN = `^${NO_DOT_SEGMENT}[^${CONTROL}]+$`;
/** Of names that `portable_names: rewrite` accepts: the other values refuse more of them. */
export const FILENAME_PATTERN = `^(?![A-Za-z]:/)${NO_DOT_SEGMENT}${SEGMENT}(?:/${SEGMENT})*$`;
const BUCKET_OBJECT = String.raw`(?:s3|r2)://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/(?!/*$)${NO_DOT_SEGMENT}[^${CONTROL}]+`;
export const URL_PATTERN = String.raw`^(?:[Hh][Tt][Tt][Pp][Ss]?://[^ \\${CONTROL}]+|[Dd][Aa][Tt][Aa]:[\x21-\x7e]*|${BUCKET_OBJECT})$`;
export const HEADER_VALUE_PATTERN = String.raw`^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$`;
export const TIME_PATTERN = String.raw`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})$`;
