import { UsageError } from './usage-error.ts';

/** Options that users know from other tools. */
const SECRET_OPTION =
  /^--?(?:aws-?)?(?:secret(?:-?(?:access-?)?key)?|access-?key(?:-?id)?|credentials?|password|token|api-?key|webhook-?secret|signing-?secret)(?:=|$)/i;

/** Formats of credentials: an AWS access key, its secret, a zipjobs token, a signing secret, a Kubernetes token. */
const SECRET_VALUES: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /(?:^|=)(?=[^/]{0,39}[/+A-Z])(?=.{0,39}[a-z])(?=.{0,39}\d)[A-Za-z0-9/+]{40}$/,
  /\bzj_[A-Za-z0-9]{20,}/,
  /\bwhsec_[A-Za-z0-9+/=]{8,}/,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\./,
];

const REMEDY =
  'Never pass credentials as arguments: other users of the machine can read them, and the shell keeps them in its history. Pass them at the prompt, in a file (--credentials-file FILE), on standard input (--credentials-file -), or in ZIPJOBS_ACCESS_KEY_ID and ZIPJOBS_SECRET_ACCESS_KEY. Refer to a token by its id (zipjobs token list). If you just typed a credential, rotate it';

/** @throws UsageError that does not repeat the argument. */
export const refuseSecretArguments = (args: readonly string[]): void => {
  const option = args.find((arg) => SECRET_OPTION.test(arg));
  if (option !== undefined) throw new UsageError(`Unknown option ${option.split('=', 1)[0]}. ${REMEDY}`);
  const position = args.findIndex((arg) => SECRET_VALUES.some((shape) => shape.test(arg)));
  if (position >= 0) throw new UsageError(`Argument ${position + 1} looks like a credential. ${REMEDY}`);
};
