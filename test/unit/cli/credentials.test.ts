import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCredentials } from '#cli/credentials.ts';
import { findCredentials } from '#cli/credentials-file.ts';
import type { Terminal } from '#cli/terminal.ts';
import { UsageError } from '#cli/usage-error.ts';

const WANT = { accessKeyId: 'AKIDCANARY', secretAccessKey: 'secret/CANARY+=' };

const prompts: string[] = [];

function terminal(change: Partial<Terminal> = {}): Terminal {
  return {
    isInteractive: false,
    isDecorated: false,
    print: () => Promise.resolve(),
    note: () => undefined,
    columns: undefined,
    rewrite: () => undefined,
    readInput: () => Promise.resolve(''),
    confirm: () => Promise.resolve(false),
    askHidden: (question) => {
      prompts.push(question);
      return Promise.resolve(question.startsWith('Secret') ? WANT.secretAccessKey : WANT.accessKeyId);
    },
    ...change,
  };
}

function read(
  given: {
    readonly file?: string;
    readonly profile?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly terminal?: Partial<Terminal>;
  } = {},
) {
  return readCredentials(
    { credentialsFile: given.file, profile: given.profile },
    {
      env: given.env ?? {},
      cwd: '/',
      terminal: terminal(given.terminal),
      signal: new AbortController().signal,
    },
  );
}

async function refusal(task: Promise<unknown>): Promise<string> {
  const error: unknown = await task.catch((thrown: unknown) => thrown);
  expect(error).to.be.instanceOf(UsageError);
  expect(String(error)).not.to.contain('CANARY');
  return String(error);
}

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

/** Without what is said about the profile. */
function parseCredentials(text: string, where: string, profile?: string) {
  const {
    profile: _profile,
    isOneOfSeveral: _isOneOfSeveral,
    ...credentials
  } = findCredentials(text, where, profile);
  return credentials;
}

describe('findCredentials', () => {
  for (const [name, text] of Object.entries(forms))
    it(`reads ${name}`, () => {
      expect(parseCredentials(text, 'it')).to.deep.equal(WANT);
    });

  const CI = { accessKeyId: 'AKIDCANARYCI', secretAccessKey: 'ciSecretCANARY' };
  function profile(header: string, { accessKeyId, secretAccessKey }: Partial<typeof WANT>): string {
    return [
      header,
      ...(accessKeyId === undefined ? [] : [`aws_access_key_id = ${accessKeyId}`]),
      ...(secretAccessKey === undefined ? [] : [`aws_secret_access_key = ${secretAccessKey}`]),
      '',
    ].join('\n');
  }
  const both = `${profile('[default]', WANT)}\n${profile('[ci]', CI)}`;

  it('reads the default profile of several, wherever it is, or the given one (UI15)', () => {
    const reversed = `${profile('[ci]', CI)}${profile('[default]', WANT)}`;
    for (const text of [both, reversed]) {
      expect(parseCredentials(text, 'it')).to.deep.equal(WANT);
      expect(parseCredentials(text, 'it', 'ci')).to.deep.equal(CI);
    }
    const config = `${profile('[default]', WANT)}region = eu-central-1\n${profile('[ profile ci ]', CI)}`;
    expect(parseCredentials(config, 'it', 'ci')).to.deep.equal(CI);
    expect(parseCredentials(profile('[ci]', CI), 'it')).to.deep.equal(CI);
  });

  it('never combines two profiles, and names those that it has (UI15)', async () => {
    async function parse(text: string, name?: string) {
      return parseCredentials(await Promise.resolve(text), 'The file x', name);
    }
    const halves = `${profile('[default]', { accessKeyId: WANT.accessKeyId })}${profile('[old]', { secretAccessKey: CI.secretAccessKey })}`;
    expect(await refusal(parse(halves))).to.contain(
      'The profile "default" of the file x does not contain secretAccessKey',
    );
    const several = `${profile('[a]', WANT)}${profile('[b]', CI)}`;
    expect(await refusal(parse(several))).to.contain(
      'The file x has several profiles: a, b. Choose one with --profile',
    );
    expect(await refusal(parse(both, 'prod'))).to.contain(
      'The file x has no profile "prod". It has: default, ci',
    );
    expect(await refusal(parse(JSON.stringify(WANT), 'ci'))).to.contain('has no profile "ci"');
    const twice = `${profile('[ci]', { accessKeyId: CI.accessKeyId })}${profile('[ci]', WANT)}`;
    expect(await refusal(parse(twice))).to.contain('contains accessKeyId twice');
    expect(await refusal(parse(`${profile('', WANT)}${profile('', CI)}`))).to.contain('twice');
  });

  it('reads the name of a profile that a comment follows (UI15)', () => {
    for (const comment of ['# prod', ' ; prod', ' # [default]'])
      expect(
        parseCredentials(profile('[default]', WANT) + profile(`[ci]${comment}`, CI), 'it', 'ci'),
      ).to.deep.equal(CI);
  });

  it('refuses a line that could be the name of a profile, without its content (UI15)', async () => {
    const text = `${profile('[default]', WANT)}[ciCANARY\naws_access_key_id = x\n`;
    expect(await refusal(Promise.resolve().then(() => parseCredentials(text, 'File a')))).to.contain(
      'starts with "["',
    );
  });

  it('does not read what is commented out (UI15)', () => {
    const old = profile('', CI).replaceAll(/^(?=aws)/gm, '# ');
    const older = profile('', CI).replaceAll(/^(?=aws)/gm, ' ;');
    expect(parseCredentials(`${profile('[default]', WANT)}${old}${older}`, 'it')).to.deep.equal(WANT);
  });

  it('reads the session token of the same profile only (UI15)', async () => {
    const token = 'aws_session_token = CANARY-session\n';
    const temporary = { ...WANT, sessionToken: 'CANARY-session' };
    const text = `${profile('[default]', WANT)}${token}${profile('[ci]', CI)}`;
    expect(parseCredentials(text, 'it')).to.deep.equal(temporary);
    expect(parseCredentials(text, 'it', 'ci')).to.deep.equal(CI);
    async function twice() {
      return parseCredentials(await Promise.resolve(`${text}${token}aws_session_token = b`), 'it', 'ci');
    }
    expect(await refusal(twice())).to.contain('contains sessionToken twice');
  });

  it('names the missing field and repeats no content (H9)', async () => {
    async function parse(text: string) {
      return parseCredentials(await Promise.resolve(text), 'The file x');
    }
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

  it('reads a file with a byte order mark, as PowerShell writes it, and refuses one that is not UTF-8 (UI15)', async () => {
    const file = join(dir, 'one');
    for (const text of [JSON.stringify(WANT), forms['an AWS credentials file'] ?? '']) {
      await writeFile(file, `\uFEFF${text}`);
      expect(await read({ file })).to.deep.equal(WANT);
      await writeFile(file, `\uFEFF${text}`, 'utf16le');
      expect(await refusal(read({ file }))).to.contain('is not text in UTF-8');
    }
  });

  it('says which of several profiles it takes (UI15)', async () => {
    const file = join(dir, 'one');
    const notes: string[] = [];
    function note(text: string) {
      return notes.push(text);
    }
    const one = forms['an AWS credentials file'] ?? '';
    await writeFile(file, `${one}[ci]\n`);
    expect(await read({ file, terminal: { note } })).to.deep.equal(WANT);
    expect(notes).to.deep.equal([
      `Using the profile "default" of the file ${file}. Choose another one with --profile`,
    ]);
    await writeFile(file, one);
    await read({ file, terminal: { note } });
    expect(notes).to.have.length(1);
  });

  it('refuses a profile without a file (UI15)', async () => {
    expect(await refusal(read({ env, profile: 'ci' }))).to.contain('--profile needs --credentials-file');
  });

  it('reads standard input', async () => {
    function readInput() {
      return Promise.resolve(JSON.stringify(WANT));
    }
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
