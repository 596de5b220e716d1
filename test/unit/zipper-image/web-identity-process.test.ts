/** A zipper process for a bucket without stored keys, from its mounted token to its termination message. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { compileCacheEnv } from '#test/support/processes/compile-cache-env.ts';
import { runZipper } from '#test/support/processes/zipper-process.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { type StsServer, startStsServer, tokenWith } from '#test/support/servers/sts-server.ts';
import { startTlsFront } from '#test/support/servers/tls-front.ts';

const MAIN = new URL('../../../zipper-image/main.ts', import.meta.url).pathname;
const AUDIENCE = 'sts.example.com';

describe('a zipper process with a token instead of keys', function () {
  this.timeout(60_000);
  let directory: string;
  let hostile: HostileStore;
  let sts: StsServer;
  beforeEach(async () => {
    [hostile, sts, directory] = await Promise.all([
      startHostileStore(),
      startStsServer(),
      mkdtemp(join(tmpdir(), 'zipjobs-role-')),
    ]);
    await mkdir(join(directory, 'bucket'));
    await writeFile(join(directory, 'bucket/token'), tokenWith({ aud: [AUDIENCE] }));
  });
  afterEach(async () => {
    await Promise.all([hostile[Symbol.asyncDispose](), sts[Symbol.asyncDispose]()]);
    await rm(directory, { recursive: true, force: true });
  });

  function webIdentity(stsEndpoint: string) {
    return {
      roleArn: 'arn:aws:iam::1:role/r',
      audience: AUDIENCE,
      stsEndpoint,
    };
  }

  /** Runs a task, and returns the result and the whole output. */
  async function run(task: object, env: Readonly<Record<string, string>>) {
    await writeFile(join(directory, 'task.json'), JSON.stringify({ contractVersion: 1, ...task }));
    const { output, message } = await runZipper({
      directory,
      command: [process.execPath, MAIN],
      env: {
        ...compileCacheEnv(),
        TASK_FILE: join(directory, 'task.json'),
        BUCKET_DIR: join(directory, 'bucket'),
        TERMINATION_LOG: join(directory, 'termination'),
        POD_UID: 'pod-1',
        STORE_ALLOW_CIDRS: '127.0.0.0/8',
        STORE_ALLOWED_HOSTS: '127.0.0.1',
        STORE_ALLOW_HTTP: 'true',
        STORE_TOKEN_AUDIENCES: AUDIENCE,
        STORE_STS_HOSTS: '127.0.0.1',
        // The SDK would use these keys if it had no others.
        AWS_ACCESS_KEY_ID: 'key-of-the-environment',
        AWS_SECRET_ACCESS_KEY: 'secret',
        AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:9',
        ...env,
      },
    });
    for (const text of [output, message]) expect(text).not.to.match(/CANARY|eyJ|token-of-|a&b/);
    return { message: JSON.parse(message) as unknown, output };
  }

  /** Tests the bucket. */
  function check(
    stsEndpoint: string,
    env: Readonly<Record<string, string>> = {},
    ofBucket: Pick<TaskBucket, 'caBundle'> = {},
  ) {
    const identity = { webIdentity: webIdentity(stsEndpoint) };
    const bucket = { service: 's3', name: 'bucket', endpoint: hostile.endpoint, ...identity, ...ofBucket };
    return run({ mode: 'check-bucket', bucket }, env);
  }

  it('uses the credentials of its role for every request to the store (X21)', async () => {
    const { message, output } = await check(sts.endpoint);
    expect(message, output).to.have.nested.property('check.ok', true);
    expect(sts.requests.map(({ form }) => form.get('RoleSessionName'))).to.deep.equal(['zipjobs-pod-1']);
    expect(hostile.requests.length).to.be.greaterThan(3);
    for (const { headers } of hostile.requests) {
      expect(headers['x-amz-security-token']).to.equal('token-of-session-1');
      expect(headers.authorization).to.contain('Credential=session-1/');
    }
  });

  it('has one session name for all pods of a ZipJob, by which a recovery finds their uploads (F44)', async () => {
    const bucket = {
      service: 's3',
      name: 'bucket',
      endpoint: hostile.endpoint,
      webIdentity: webIdentity(sts.endpoint),
    };
    const task = {
      mode: 'recover',
      bucket,
      zipJobUid: 'uid-1',
      key: 'a.zip',
      attempt: 'pod-0',
      uploadState: 'unrecorded',
      since: '2026-01-02T03:04:05Z',
      endedAt: '2026-01-02T03:14:05Z',
      endedAgeSeconds: 0,
    };
    for (const pod of ['pod-1', 'pod-2']) {
      const { message, output } = await run(task, { POD_UID: pod });
      expect(message, output).to.have.nested.property('recovered.outcome', 'absent');
    }
    const names = sts.requests.map(({ form }) => form.get('RoleSessionName'));
    expect(names).to.deep.equal(['zipjobs-uid-1', 'zipjobs-uid-1']);
  });

  it('reports in the result of a bucket test why the token service refuses it (X21)', async () => {
    sts.reply = { kind: 'error', status: 400, code: 'InvalidIdentityToken', message: 'wrong audience' };
    const { message } = await check(sts.endpoint);
    expect(message).to.have.nested.property('check.failure.code', 'BucketCredentialsInvalid');
    expect(JSON.stringify(message)).to.contain('400 InvalidIdentityToken: wrong audience');
    expect(hostile.requests).to.deep.equal([]);
  });

  it("trusts the operator's authorities for the token service, and not the bucket's (X22)", async () => {
    await using front = await startTlsFront(sts.endpoint);
    const caBundle = front.authority;
    const refused = await check(front.url, {}, { caBundle });
    expect(refused.message).to.have.nested.property('check.failure.code', 'BucketMisconfigured');
    expect(JSON.stringify(refused.message)).to.contain(
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE: the certificate of the security token service is signed by an unknown authority; ask your administrator to add the authority to trustBundle',
    );
    expect(sts.requests).to.deep.equal([]);
    const { message, output } = await check(front.url, { TRUST_BUNDLE: caBundle });
    expect(message, output).to.have.nested.property('check.ok', true);
  });

  for (const [what, env, hint] of [
    ['host', { STORE_STS_HOSTS: 'sts.example.com' }, 'store.webIdentity.stsHosts'],
    ['audience', { STORE_TOKEN_AUDIENCES: 'another.example' }, 'store.webIdentity.audiences'],
  ] as const)
    it(`sends its token nowhere if the operator does not allow the ${what} (X21)`, async () => {
      const { message } = await check(sts.endpoint, env);
      expect(message).to.have.nested.property('failure.code', 'BucketMisconfigured');
      expect(JSON.stringify(message)).to.contain(hint);
      expect([sts.requests.length, hostile.requests.length]).to.deep.equal([0, 0]);
    });
});
