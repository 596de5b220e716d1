import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describeOverview } from '#test/dev/overview.ts';

const TEXT = describeOverview({
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
  addresses: { apiUrl: 'http://127.0.0.1:8080', dashboardUrl: 'http://127.0.0.1:8081' },
  signInUrl: 'http://127.0.0.1:8082/code',
  project: { namespace: 'dev', token: 'zj_token', bucketName: 'dev-archives' },
  originUrl: 'http://127.0.0.1:4003',
  sourceFolder: 'docs',
  receiverUrl: 'http://127.0.0.1:4004',
});

describe('describeOverview', () => {
  it('starts with the link that signs in and the API reference (Q-D1)', () => {
    expect(TEXT.trimStart().split('\n').slice(0, 3)).to.deep.equal([
      'Dashboard      http://127.0.0.1:8082/code',
      '               This link signs you in, until Ctrl-C. The dashboard itself is at http://127.0.0.1:8081',
      'API reference  http://127.0.0.1:8080/docs',
    ]);
  });

  for (const line of [
    'Project        dev, with the access token zj_token',
    'Store          http://127.0.0.1:4001 (S3, region us-east-1, bucket dev-archives)',
    'AWS_ACCESS_KEY_ID=KEY AWS_SECRET_ACCESS_KEY=SECRET',
    'Sources        http://127.0.0.1:4003/files/PATH serves docs/PATH, /gen/BYTES/SEED generates a file',
    'Webhooks       http://127.0.0.1:4004 prints each delivery here',
    'kubectl, helm  export PATH=/tmp/cluster/bin:$PATH',
    'Logs           /tmp/cluster/pods (API, controller, dashboard, zippers), /tmp/cluster/logs (cluster and store)',
    '  export KUBECONFIG=/tmp/cluster/admin.kubeconfig\n  cli/zipjobs job list -n dev\n',
  ])
    it(`contains: ${line.trim()}`, () => {
      expect(TEXT).to.contain(line);
    });

  it('contains a curl command that a shell runs as it is', async () => {
    const command = TEXT.slice(TEXT.indexOf('curl'), TEXT.indexOf('\n\nSee it'));
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
      urls: [
        { url: 'http://127.0.0.1:4003/gen/1048576/1', filename: 'first.bin' },
        { url: 'http://127.0.0.1:4003/gen/1048576/2', filename: 'more/second.bin' },
      ],
    });
  });
});
