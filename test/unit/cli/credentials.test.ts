import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseCredentials, readCredentials } from '#cli/credentials.ts';
import type { Terminal } from '#cli/terminal.ts';
import { UsageError } from '#cli/usage-error.ts';

const WANT = { accessKeyId: 'AKIDCANARY', secretAccessKey: 'secret/CANARY+=' };

const prompts: string[] = [];
const terminal = (change: Partial<Terminal> = {}): Terminal => ({
  isInteractive: false,
  print: () => undefined,
  note: () => undefined,
  readInput: () => Promise.resolve(''),
  confirm: () => Promise.resolve(false),
  askHidden: (question) => {
    prompts.push(question);
    return Promise.resolve(question.startsWith('Secret') ? WANT.secretAccessKey : WANT.accessKeyId);
  },
  ...change,
});

const read = (
  given: {
    readonly file?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly terminal?: Partial<Terminal>;
  } = {},
) =>
  readCredentials(
    { credentialsFile: given.file },
    {
      env: given.env ?? {},
      cwd: '/',
      terminal: terminal(given.terminal),
      signal: new AbortController().signal,
    },
  );

const refusal = async (task: Promise<unknown>): Promise<string> => {
  const error: unknown = await task.catch((thrown: unknown) => thrown);
  expect(error).to.be.instanceOf(UsageError);
  expect(String(error)).not.to.contain('CANARY');
  return String(error);
};

describe('parseCredentials', () => {
  const forms: Readonly<Record<string, string>> = {
    'a JSON object': JSON.stringify(WANT),
    'the output of the AWS CLI': JSON.stringify({
      AccessKeyId: WANT.accessKeyId,
      SecretAccessKey: WANT.secretAccessKey,
      Version: 1,
    }),
    'an AWS credentials file': `[default]\naws_access_key_id = ${WANT.accessKeyId}\r\naws_secret_access_key = ${WANT.secretAccessKey}\r\n`,
    'shell exports': `export AWS_ACCESS_KEY_ID=${WANT.accessKeyId}\nexport AWS_SECRET_ACCESS_KEY='${WANT.secretAccessKey}'\n`,
  };
  for (const [name, text] of Object.entries(forms))
    it(`reads ${name}`, () => {
      expect(parseCredentials(text, 'it')).to.deep.equal(WANT);
    });

  it('names the missing field and repeats no content (H9)', async () => {
    const parse = async (text: string) => parseCredentials(await Promise.resolve(text), 'The file x');
    expect(await refusal(parse('{"accessKeyId": CANARY'))).to.contain('The file x is not valid JSON');
    expect(await refusal(parse('CANARY'))).to.contain('does not contain accessKeyId');
    expect(await refusal(parse('aws_access_key_id=CANARY'))).to.contain('does not contain secretAccessKey');
    expect(await refusal(parse('{"accessKeyId": 1}'))).to.contain('does not contain accessKeyId');
  });
});

describe('readCredentials', () => {
  let dir = '';
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'credentials-'));
    prompts.length = 0;
  });
  afterEach(() => rm(dir, { recursive: true }));

  const env = { ZIPJOBS_ACCESS_KEY_ID: WANT.accessKeyId, ZIPJOBS_SECRET_ACCESS_KEY: WANT.secretAccessKey };

  it('prefers the given file', async () => {
    const file = join(dir, 'one');
    await writeFile(file, JSON.stringify(WANT));
    expect(await read({ file, env: { ...env, ZIPJOBS_ACCESS_KEY_ID: 'other' } })).to.deep.equal(WANT);
    expect(await refusal(read({ file: join(dir, 'none') }))).to.match(
      /Cannot read the credentials file \S+none \(ENOENT\)/,
    );
  });

  it('reads standard input', async () => {
    const readInput = () => Promise.resolve(JSON.stringify(WANT));
    expect(await read({ file: '-', terminal: { readInput } })).to.deep.equal(WANT);
  });

  it('reads both environment variables, or refuses if only one is set', async () => {
    expect(await read({ env })).to.deep.equal(WANT);
    const { ZIPJOBS_ACCESS_KEY_ID, ZIPJOBS_SECRET_ACCESS_KEY } = env;
    expect(await refusal(read({ env: { ZIPJOBS_ACCESS_KEY_ID } }))).to.contain(
      'SECRET_ACCESS_KEY is not. Set both',
    );
    expect(await refusal(read({ env: { ZIPJOBS_SECRET_ACCESS_KEY } }))).to.contain(
      'ACCESS_KEY_ID is not. Set both',
    );
  });

  it('prompts the user, and suggests alternatives without a terminal', async () => {
    expect(await read({ terminal: { isInteractive: true } })).to.deep.equal(WANT);
    expect(prompts).to.deep.equal(['Access key ID', 'Secret access key']);
    expect(await refusal(read())).to.match(
      /--credentials-file FILE.*--credentials-file -.*ZIPJOBS_ACCESS_KEY_ID/,
    );
  });
});
