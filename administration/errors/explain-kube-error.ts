import { toError } from '#runtime/errors.ts';
import { isKubeError, type KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import { AdministrationError, type AdministrationErrorCode } from './administration-error.ts';

/** One call to the API server, in RBAC terms. */
export interface Attempt {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';
  /** `ziptokens.zipjobs.dev`. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** What each failure of a call means to the user. A new code does not compile without an entry. */
const MEANINGS: Readonly<Record<KubeErrorCode, AdministrationErrorCode>> = {
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
  TooManyRequests: 'Unreachable',
  Gone: 'Unreachable',
  ServerError: 'Unreachable',
  Timeout: 'Unreachable',
  Unreachable: 'Unreachable',
  InvalidResponse: 'Unreachable',
  NotServed: 'Unreachable',
};

/** The code of a failed call, whatever was attempted. */
export function meaningOfKubeError({ code }: Pick<KubeError, 'code'>): AdministrationErrorCode {
  return MEANINGS[code];
}

function placeOf({ namespace }: Attempt): string {
  return namespace === undefined || namespace === '' ? 'at the cluster scope' : `in namespace ${namespace}`;
}

function objectOf({ resource, name }: Attempt): string {
  return name === undefined ? resource : `${resource} ${name}`;
}

function forbidden(attempt: Attempt, error: KubeError): AdministrationError {
  const { said, user } = error;
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
}

const TRY_AGAIN = 'Try again in a moment';
const CHECK_ADDRESS = 'Check the cluster address and the network, then try again';
const CORRECT_INPUT = 'Correct the input and try again';

const REMEDIES: Readonly<Record<KubeErrorCode, string | undefined>> = {
  NotFound: undefined,
  AlreadyExists: undefined,
  Conflict: 'The object was changed in the meantime. Review the change and try again',
  Forbidden: undefined,
  Unauthorized:
    'The API server rejected your credentials. Sign in again, or check the user of your kubeconfig',
  Invalid: CORRECT_INPUT,
  BadRequest: CORRECT_INPUT,
  TooLarge: CORRECT_INPUT,
  QuotaExceeded: undefined,
  NamespaceTerminating: undefined,
  TooManyRequests: TRY_AGAIN,
  Gone: TRY_AGAIN,
  ServerError: TRY_AGAIN,
  Timeout: CHECK_ADDRESS,
  Unreachable: CHECK_ADDRESS,
  InvalidResponse: CHECK_ADDRESS,
  NotServed: 'The custom resource definitions are missing: install the chart first',
};

/** What was read is too large, so the user can only make it smaller. */
function tooLargeToRead(what: string, cause: KubeError): AdministrationError {
  return new AdministrationError(`${what}. Delete objects that are no longer needed, then try again`, {
    code: 'Refused',
    cause,
  });
}

/**
 * Describes a failed call for the user: the operation, the object and the next step. Returns any other error
 * unchanged.
 */
export function explainKubeError(attempt: Attempt, thrown: unknown): Error {
  if (!isKubeError(thrown)) return toError(thrown);
  if (thrown.code === 'Forbidden') return forbidden(attempt, thrown);
  const what = `Cannot ${attempt.verb} ${objectOf(attempt)} ${placeOf(attempt)}: ${thrown.said}`;
  const isRead = attempt.verb === 'get' || attempt.verb === 'list';
  if (thrown.code === 'TooLarge' && isRead) return tooLargeToRead(what, thrown);
  const remedy = REMEDIES[thrown.code];
  return new AdministrationError(remedy === undefined ? what : `${what}. ${remedy}`, {
    code: meaningOfKubeError(thrown),
    retryAfterMs: thrown.retryAfterMs,
    cause: thrown,
  });
}
