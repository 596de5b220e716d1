import { expect } from 'chai';
import { ConfigError } from '#runtime/errors.ts';
import { summaryOf } from '#test/store-contract/report.ts';
import { CHECKS, runCheck, runChecks } from '#test/store-contract/run-checks.ts';
import { readCommand } from '#test/store-contract/target.ts';
import { createWorld, type Target } from '#test/store-contract/world.ts';

const ENV = { AWS_ACCESS_KEY_ID: 'AKIDENV', AWS_SECRET_ACCESS_KEY: 'secret-env', AWS_REGION: 'eu-west-1' };

describe('readCommand', () => {
  it('takes the keys and the region from the environment, and prefers flags (X53)', () => {
    const args = ['--endpoint', 'https://s3.example.com/x', '--bucket', 'b'];
    expect(readCommand(args, ENV)).to.deep.equal({
      store: {
        target: {
          endpoint: 'https://s3.example.com',
          bucket: 'b',
          region: 'eu-west-1',
          accessKeyId: 'AKIDENV',
          secretAccessKey: 'secret-env',
        },
      },
      json: undefined,
    });
    const flags = ['--region', 'auto', '--access-key-id', 'A', '--secret-access-key', 'S', '--json', 'f'];
    const { store, json } = readCommand([...args, ...flags], { ...ENV, AWS_SESSION_TOKEN: 't' });
    expect('target' in store && store.target).to.include({
      region: 'auto',
      accessKeyId: 'A',
      secretAccessKey: 'S',
      sessionToken: 't',
    });
    expect(json).to.equal('f');
  });

  it('names what is missing, and no key (X53)', () => {
    const flags = ['--endpoint', 'https://s3.example.com', '--bucket', 'b', '--secret-access-key', 'S3CRET'];
    for (const [args, named] of [
      [[], '--endpoint is missing'],
      [['--endpoint', 'ftp://x', '--bucket', 'b'], 'is not an http or https URL'],
      [flags, 'AWS_ACCESS_KEY_ID is missing'],
      [['--local', 'floppy'], '--local floppy: unknown store. Known: versitygw, minio'],
    ] as const)
      expect(() => readCommand(args, {}))
        .to.throw(ConfigError, named)
        .and.not.match(/S3CRET/);
  });
});

const TARGET: Target = {
  endpoint: 'http://127.0.0.1:9',
  region: 'us-east-1',
  bucket: 'b-1',
  accessKeyId: 'AKIDSECRET',
  secretAccessKey: 'very-secret',
  sessionToken: 'token-secret',
};

describe('the store contract', () => {
  it('writes no key into a result, whatever a store repeats (X53)', async () => {
    using world = createWorld(TARGET);
    const said = 'AKIDSECRET very-secret token-secret';
    const failed = await runCheck({ name: 'n', run: () => Promise.reject(new Error(said)) }, world);
    expect(failed).to.deep.equal({ name: 'n', verdict: 'fails', detail: '[key] [key] [key]' });
    const differing = await runCheck({ name: 'n', run: () => Promise.resolve(said) }, world);
    expect(differing).to.include({ verdict: 'differs', detail: '[key] [key] [key]' });
  });

  it('fails every check of a store that is not there (X53)', async () => {
    const seen: string[] = [];
    const results = await runChecks(TARGET, ({ name }) => seen.push(name), CHECKS.slice(0, 3));
    expect(results.map(({ verdict }) => verdict)).to.deep.equal(['fails', 'fails', 'fails']);
    expect(seen).to.deep.equal(results.map(({ name }) => name));
    expect(summaryOf(results)).to.equal(
      '0 pass, 0 differ, 3 fail: zipjobs cannot use this store, or not for all archives; see the checks that fail',
    );
  });

  it('has a name of its own for each check (X53)', () => {
    expect(new Set(CHECKS.map(({ name }) => name)).size).to.equal(CHECKS.length);
  });
});
