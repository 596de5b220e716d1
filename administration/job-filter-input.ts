/** Filters of job lists that the command line and the history API check in the same way. */

export const REASONS_RULE = 'must be one or more reasons such as SourceNotFound, separated by commas';
export const TOKEN_RULE = 'must be the ID of an access token, such as ci-k7x2mq';

const REASON = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
/** A name of an object in Kubernetes. */
const TOKEN_ID = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** Reasons of other versions are valid: the history may have their jobs. */
export function isReason(text: string): boolean {
  return REASON.test(text);
}

export function isTokenId(text: string): boolean {
  return TOKEN_ID.test(text);
}
