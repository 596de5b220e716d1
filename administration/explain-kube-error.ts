import { toError } from '#runtime/errors.ts';
import { isKubeError, type KubeError, type KubeErrorCode } from '#runtime/kube/kube-error.ts';
import { AdministrationError, type AdministrationErrorCode } from './administration-error.ts';

/** One call to the API server, in the words of its access rules. */
export interface Attempt {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';
  /** `ziptokens.zipjobs.dev`. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

const SAME_CODES: Readonly<Partial<Record<KubeErrorCode, AdministrationErrorCode>>> = {
  NotFound: 'NotFound',
  AlreadyExists: 'AlreadyExists',
  Conflict: 'Conflict',
  Forbidden: 'Forbidden',
  Unauthorized: 'Unauthorized',
  Invalid: 'InvalidInput',
  BadRequest: 'InvalidInput',
  TooLarge: 'InvalidInput',
  QuotaExceeded: 'Refused',
  NamespaceTerminating: 'Refused',
  Timeout: 'Unreachable',
  Unreachable: 'Unreachable',
  InvalidAnswer: 'Unreachable',
  NotServed: 'Unreachable',
};

/** The API server's own words, without the call that stands before them. */
const saidBy = (error: KubeError): string => error.message.replace(/^.*?: (?:\d{3} \w+: )?/, '');

const placeOf = ({ namespace }: Attempt): string =>
  namespace === undefined || namespace === '' ? 'in the whole cluster' : `in namespace ${namespace}`;

const objectOf = ({ resource, name }: Attempt): string =>
  name === undefined ? resource : `${resource} ${name}`;

/** A refusal of the access rules names the user; a policy's does not. */
const USER = /User "([^"]+)" cannot/;

const forbidden = (attempt: Attempt, error: KubeError): AdministrationError => {
  const said = saidBy(error);
  const user = USER.exec(said)?.[1];
  const { verb, resource } = attempt;
  if (user === undefined)
    return new AdministrationError(
      `A rule of the cluster does not let ${verb} of ${objectOf(attempt)} ${placeOf(attempt)} pass: ${said}`,
      { code: 'Refused', cause: error },
    );
  return new AdministrationError(
    `You (${user}) may not ${verb} ${resource} ${placeOf(attempt)}. Ask whoever manages access to the cluster for a role that allows verb ${verb} on ${resource} there`,
    { code: 'Forbidden', cause: error },
  );
};

const REMEDIES: Readonly<Partial<Record<AdministrationErrorCode, string>>> = {
  Conflict: 'Somebody changed it in the meantime; look at it and try again',
  Unauthorized: 'The API server does not know you; sign in again, or check the user of your kubeconfig',
  Unreachable: 'Check the address of the cluster and the network, then try again',
  InvalidInput: 'Correct it and try again',
};

const MISSING_DEFINITIONS = 'Install the chart first: its custom resource definitions are not there';

/**
 * A failed call as what a person reads: what was attempted, on what, and what to do next. What is no failed call stays as
 * it is.
 */
export const explainKubeError = (attempt: Attempt, thrown: unknown): Error => {
  if (!isKubeError(thrown)) return toError(thrown);
  if (thrown.code === 'Forbidden') return forbidden(attempt, thrown);
  const code = SAME_CODES[thrown.code] ?? 'Failed';
  const remedy = thrown.code === 'NotServed' ? MISSING_DEFINITIONS : REMEDIES[code];
  const what = `To ${attempt.verb} ${objectOf(attempt)} ${placeOf(attempt)} failed: ${saidBy(thrown)}`;
  return new AdministrationError(remedy === undefined ? what : `${what}. ${remedy}`, { code, cause: thrown });
};
