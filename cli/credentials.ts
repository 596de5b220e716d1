import type { BucketCredentials } from '#administration/buckets/bucket-input.ts';
import { FORMS, findCredentials } from './credentials-file.ts';
import { readArgumentFile } from './read-argument-file.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

const ENV = { accessKeyId: 'ZIPJOBS_ACCESS_KEY_ID', secretAccessKey: 'ZIPJOBS_SECRET_ACCESS_KEY' } as const;

interface CredentialsArguments {
  readonly credentialsFile: string | undefined;
  readonly profile: string | undefined;
}

async function fromFile(
  path: string,
  wanted: string | undefined,
  session: Pick<Session, 'terminal' | 'cwd'>,
): Promise<BucketCredentials> {
  const { terminal } = session;
  const file = { path, what: 'credentials file', hint: `. ${FORMS}` };
  const text = path === '-' ? await terminal.readInput() : await readArgumentFile(file, session);
  const where = path === '-' ? 'standard input' : `the file ${path}`;
  const { profile, isOneOfSeveral, ...credentials } = findCredentials(
    text,
    `${where.charAt(0).toUpperCase()}${where.slice(1)}`,
    wanted,
  );
  if (wanted === undefined && isOneOfSeveral)
    terminal.note(`Using the profile "${profile}" of ${where}. Choose another one with --profile`);
  return credentials;
}

function fromEnv({ env }: Pick<Session, 'env'>): BucketCredentials | undefined {
  const [accessKeyId = '', secretAccessKey = ''] = [env[ENV.accessKeyId], env[ENV.secretAccessKey]];
  if (accessKeyId === '' && secretAccessKey === '') return undefined;
  if (accessKeyId === '')
    throw new UsageError(`${ENV.secretAccessKey} is set but ${ENV.accessKeyId} is not. Set both`);
  if (secretAccessKey === '')
    throw new UsageError(`${ENV.accessKeyId} is set but ${ENV.secretAccessKey} is not. Set both`);
  return { accessKeyId, secretAccessKey };
}

/**
 * The credentials of a bucket: from the given file, the environment, or a prompt, in this order.
 * @throws UsageError that lists every source when none applies.
 */
export async function readCredentials(
  { credentialsFile, profile }: CredentialsArguments,
  session: Pick<Session, 'terminal' | 'env' | 'cwd' | 'signal'>,
): Promise<BucketCredentials> {
  if (credentialsFile !== undefined) return fromFile(credentialsFile, profile, session);
  if (profile !== undefined) throw new UsageError('--profile needs --credentials-file');
  const given = fromEnv(session);
  if (given) return given;
  const { terminal, signal } = session;
  if (!terminal.isInteractive)
    throw new UsageError(
      `No bucket credentials given, and no terminal to ask for them. Pass them in a file (--credentials-file FILE), on standard input (--credentials-file -), or in ${ENV.accessKeyId} and ${ENV.secretAccessKey}`,
    );
  const accessKeyId = await terminal.askHidden('Access key ID', signal);
  return { accessKeyId, secretAccessKey: await terminal.askHidden('Secret access key', signal) };
}
