import { toError } from '#runtime/errors.ts';
import { isKubeError, type KubeError, type KubeErrorCode } from '#runtime/kube/kube-error.ts';
import { AdministrationError, type AdministrationErrorCode } from './administration-error.ts';

/** One call to the API server, in RBAC terms. */
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
  InvalidResponse: 'Unreachable',
  NotServed: 'Unreachable',
};

/** The message of the API server, without the prefix that describes the call. */
const saidBy = (error: KubeError): string => error.message.replace(/^.*?: (?:\d{3} \w+: )?/, '');

const placeOf = ({ namespace }: Attempt): string =>
  namespace === undefined || namespace === '' ? 'at the cluster scope' : `in namespace ${namespace}`;

const objectOf = ({ resource, name }: Attempt): string =>
  name === undefined ? resource : `${resource} ${name}`;

/** An RBAC error contains the user; an admission error does not. */
const USER = /User "([^"]+)" cannot/;

const forbidden = (attempt: Attempt, error: KubeError): AdministrationError => {
  const said = saidBy(error);
  const user = USER.exec(said)?.[1];
  const { verb, resource } = attempt;
  if (user === undefined)
    return new AdministrationError(
      `A cluster policy rejected ${verb} ${objectOf(attempt)} ${placeOf(attempt)}: ${said}`,
      { code: 'Refused', cause: error },
    );
  return new AdministrationError(
    `User "${user}" cannot ${verb} ${resource} ${placeOf(attempt)}. Ask your cluster administrator for a role that allows ${verb} on ${resource} there`,
    { code: 'Forbidden', cause: error },
  );
};

const REMEDIES: Readonly<Partial<Record<AdministrationErrorCode, string>>> = {
  Conflict: 'The object was changed in the meantime. Review the change and try again',
  Unauthorized:
    'The API server rejected your credentials. Sign in again, or check the user of your kubeconfig',
  Unreachable: 'Check the cluster address and the network, then try again',
  InvalidInput: 'Correct the input and try again',
};

const MISSING_DEFINITIONS = 'The custom resource definitions are missing: install the chart first';

/**
 * Describes a failed call for the user: the operation, the object and the next step. Returns any other error
 * unchanged.
 */
export const explainKubeError = (attempt: Attempt, thrown: unknown): Error => {
  if (!isKubeError(thrown)) return toError(thrown);
  if (thrown.code === 'Forbidden') return forbidden(attempt, thrown);
  const code = SAME_CODES[thrown.code] ?? 'Failed';
  const remedy = thrown.code === 'NotServed' ? MISSING_DEFINITIONS : REMEDIES[code];
  const what = `Cannot ${attempt.verb} ${objectOf(attempt)} ${placeOf(attempt)}: ${saidBy(thrown)}`;
  return new AdministrationError(remedy === undefined ? what : `${what}. ${remedy}`, { code, cause: thrown });
};
