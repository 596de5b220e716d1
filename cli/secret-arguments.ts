import { UsageError } from './usage-error.ts';

/** Options that somebody might try, because other tools have them. */
const SECRET_OPTION =
  /^--?(?:aws-?)?(?:secret(?:-?(?:access-?)?key)?|access-?key(?:-?id)?|credentials?|password|token|api-?key|webhook-?secret|signing-?secret)(?:=|$)/i;

/** What a credential looks like: an access key of AWS, its secret, a token of ours, a signing secret, a token of Kubernetes. */
const SECRET_VALUES: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /^(?:.*=)?(?=[^/]*[/+A-Z])(?=.*[a-z])(?=.*\d)[A-Za-z0-9/+]{40}$/,
  /\bzj_[A-Za-z0-9]{20,}/,
  /\bwhsec_[A-Za-z0-9+/=]{8,}/,
  /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\./,
];

const REMEDY =
  'Credentials are never taken from arguments, which other users of the machine and the history of the shell can read. Give them at the prompt, in a file (--credentials-file FILE), by standard input (--credentials-file -), or in the variables ZIPJOBS_ACCESS_KEY_ID and ZIPJOBS_SECRET_ACCESS_KEY; tokens are named by their id (zipjobs token list). Replace a credential that you have just typed';

/** @throws UsageError that does not repeat the argument. */
export const refuseSecretArguments = (args: readonly string[]): void => {
  const option = args.find((arg) => SECRET_OPTION.test(arg));
  if (option !== undefined)
    throw new UsageError(`There is no option ${option.replace(/=.*$/, '')}. ${REMEDY}`);
  const position = args.findIndex((arg) => SECRET_VALUES.some((shape) => shape.test(arg)));
  if (position >= 0) throw new UsageError(`Argument ${position + 1} looks like a credential. ${REMEDY}`);
};
