import type { BucketCredentials } from '#administration/bucket-input.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import { readArgumentFile } from './read-argument-file.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

const ENV = { accessKeyId: 'ZIPJOBS_ACCESS_KEY_ID', secretAccessKey: 'ZIPJOBS_SECRET_ACCESS_KEY' } as const;

const FORMS =
  'Provide accessKeyId and secretAccessKey, as a JSON object or as lines of the form aws_access_key_id = ...';

/** `AWS_ACCESS_KEY_ID`, `aws_access_key_id`, `AccessKeyId` and `accessKeyId` are equivalent. */
const plainName = (name: string): string =>
  name
    .replace(/^\s*export\s/, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^aws/, '');

const entriesOf = (text: string): readonly (readonly [string, string])[] => {
  if (!text.trimStart().startsWith('{'))
    return [...text.matchAll(/^([^=\n]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.trim().replace(/^(["'])(.*)\1$/, '$2'),
    ]);
  const parsed: unknown = JSON.parse(text);
  return isRecord(parsed)
    ? Object.entries(parsed).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      )
    : [];
};

/** The credentials in a text. @throws UsageError that does not quote the text. */
export const parseCredentials = (text: string, where: string): BucketCredentials => {
  let found: ReadonlyMap<string, string>;
  try {
    found = new Map(entriesOf(text).map(([name, value]) => [plainName(name), value]));
  } catch {
    // The parser's message would quote the text.
    throw new UsageError(`${where} is not valid JSON. ${FORMS}`);
  }
  const [accessKeyId, secretAccessKey] = [found.get('accesskeyid'), found.get('secretaccesskey')];
  if (accessKeyId === undefined) throw new UsageError(`${where} does not contain accessKeyId. ${FORMS}`);
  if (secretAccessKey === undefined)
    throw new UsageError(`${where} does not contain secretAccessKey. ${FORMS}`);
  return { accessKeyId, secretAccessKey };
};

const fromFile = async (
  path: string,
  session: Pick<Session, 'terminal' | 'cwd'>,
): Promise<BucketCredentials> => {
  if (path === '-') return parseCredentials(await session.terminal.readInput(), 'Standard input');
  const file = { path, what: 'credentials file', hint: `. ${FORMS}` };
  return parseCredentials(await readArgumentFile(file, session), `The file ${path}`);
};

const fromEnv = ({ env }: Pick<Session, 'env'>): BucketCredentials | undefined => {
  const [accessKeyId = '', secretAccessKey = ''] = [env[ENV.accessKeyId], env[ENV.secretAccessKey]];
  if (accessKeyId === '' && secretAccessKey === '') return undefined;
  if (accessKeyId === '')
    throw new UsageError(`${ENV.secretAccessKey} is set but ${ENV.accessKeyId} is not. Set both`);
  if (secretAccessKey === '')
    throw new UsageError(`${ENV.accessKeyId} is set but ${ENV.secretAccessKey} is not. Set both`);
  return { accessKeyId, secretAccessKey };
};

/**
 * The credentials of a bucket: from the given file, the environment, or a prompt, in this order.
 * @throws UsageError that lists every source when none applies.
 */
export const readCredentials = async (
  { credentialsFile }: { readonly credentialsFile: string | undefined },
  session: Pick<Session, 'terminal' | 'env' | 'cwd' | 'signal'>,
): Promise<BucketCredentials> => {
  if (credentialsFile !== undefined) return fromFile(credentialsFile, session);
  const given = fromEnv(session);
  if (given) return given;
  const { terminal, signal } = session;
  if (!terminal.isInteractive)
    throw new UsageError(
      `No bucket credentials given, and no terminal to ask for them. Pass them in a file (--credentials-file FILE), on standard input (--credentials-file -), or in ${ENV.accessKeyId} and ${ENV.secretAccessKey}`,
    );
  const accessKeyId = await terminal.askHidden('Access key ID', signal);
  return { accessKeyId, secretAccessKey: await terminal.askHidden('Secret access key', signal) };
};
