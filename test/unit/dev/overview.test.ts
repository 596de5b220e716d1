import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describeDev } from '#test/dev/overview.ts';

const FILES = [{ url: 'http://127.0.0.1:4003/gen/1/1', filename: 'random.bin' }];

const TEXT = describeDev({
  cluster: {
    dir: '/tmp/cluster',
    kubeconfigPath: '/tmp/cluster/admin.kubeconfig',
    store: {
      endpoint: 'http://127.0.0.1:4001',
      region: 'us-east-1',
      accessKeyId: 'KEY',
      secretAccessKey: 'SECRET',
    },
  },
  apiUrl: 'http://127.0.0.1:8080',
  dashboardUrl: 'http://127.0.0.1:8081',
  signInTokenPath: '/tmp/cluster/sign-in-token',
  project: { namespace: 'dev', token: 'zj_token', bucketName: 'dev-archives' },
  originUrl: 'http://127.0.0.1:4003',
  receiverUrl: 'http://127.0.0.1:4004',
  files: FILES,
});

describe('describeDev', () => {
  for (const line of [
    'API        http://127.0.0.1:8080 (reference: http://127.0.0.1:8080/docs)',
    'Dashboard  http://127.0.0.1:8081',
    'Store      http://127.0.0.1:4001 (S3, region us-east-1, bucket dev-archives)',
    'AWS_ACCESS_KEY_ID=KEY AWS_SECRET_ACCESS_KEY=SECRET',
    'Logs       /tmp/cluster/pods (API, controller, dashboard, zippers), /tmp/cluster/logs (cluster and store)',
    'export KUBECONFIG=/tmp/cluster/admin.kubeconfig',
    'cat /tmp/cluster/sign-in-token',
  ])
    it(`contains: ${line}`, () => {
      expect(TEXT).to.contain(line);
    });

  it('contains a curl command that a shell runs as it is', async () => {
    const command = TEXT.slice(TEXT.indexOf('curl'), TEXT.indexOf('\n\nSave a file'));
    const shown = `printf '%s\\n' ${command}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', shown]);
    const words = stdout.trimEnd().split('\n');
    expect(words.slice(0, -1)).to.deep.equal([
      'curl',
      '-sS',
      'http://127.0.0.1:8080/v1/zips',
      '-H',
      'Authorization: Bearer zj_token',
      '-H',
      'Content-Type: application/json',
      '-d',
    ]);
    expect(JSON.parse(words.at(-1) ?? '')).to.deep.equal({
      bucket_name: 'dev-archives',
      key: 'hello.zip',
      urls: FILES,
    });
  });
});
