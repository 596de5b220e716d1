import { UsageError } from './usage-error.ts';

/** Options that users know from other tools. */
const SECRET_OPTION =
  /^--?(?:aws-?)?(?:secret(?:-?(?:access-?)?key)?|access-?key(?:-?id)?|credentials?|password|token|api-?key|webhook-?secret|signing-?secret)(?:=|$)/i;

/** Formats of credentials: an AWS access key, a zipjobs token, a signing secret, a Kubernetes token. */
const SECRET_VALUES: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bzj_[A-Za-z0-9]{20,}/,
  /\bwhsec_[A-Za-z0-9+/=]{8,}/,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\./,
];

const REMEDY =
  'Never pass credentials as arguments: other users of the machine can read them, and the shell keeps them in its history. Pass them at the prompt, in a file (--credentials-file FILE), on standard input (--credentials-file -), or in ZIPJOBS_ACCESS_KEY_ID and ZIPJOBS_SECRET_ACCESS_KEY. Refer to a token by its id (zipjobs token list). If you just typed a credential, rotate it';

/** Signed URLs contain such texts. */
const URL_ARGUMENT = /^(?:[^=]+=)?https?:/i;
const URL_REMEDY =
  'Other users of the machine can read arguments, and the shell keeps them in its history. Put URLs with a signature into a file: --from FILE, or - for standard input';

/** The secret of an AWS access key is 40 random characters. */
const AWS_SECRET = /(?:^|=)([A-Za-z0-9/+]{40})$/;
/** Two neighbours of different kinds: lower case, upper case, digit. */
const CHANGE = /(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=\d)[A-Za-z]/g;
/** Of 39 pairs. Random characters have 23 on average and fewer than 12 once in ten thousand; a path of words has a few. */
const MIN_CHANGES = 12;

function isAwsSecret(arg: string): boolean {
  const [, text = ''] = AWS_SECRET.exec(arg) ?? [];
  return /[A-Z]/.test(text) && /[a-z]/.test(text) && (text.match(CHANGE) ?? []).length >= MIN_CHANGES;
}

/** @throws UsageError that does not repeat the argument. */
export function refuseSecretArguments(args: readonly string[]): void {
  const option = args.find((arg) => SECRET_OPTION.test(arg));
  if (option !== undefined) throw new UsageError(`Unknown option ${option.split('=', 1)[0]}. ${REMEDY}`);
  const position = args.findIndex(
    (arg) => isAwsSecret(arg) || SECRET_VALUES.some((shape) => shape.test(arg)),
  );
  if (position < 0) return;
  const isUrl = URL_ARGUMENT.test(args[position] ?? '');
  throw new UsageError(
    `Argument ${position + 1} ${isUrl ? 'contains' : 'looks like'} a credential. ${isUrl ? URL_REMEDY : REMEDY}`,
  );
}
