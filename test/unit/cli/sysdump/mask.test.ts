import { expect } from 'chai';
import { maskObject } from '#cli/sysdump/mask-object.ts';
import { isSecretName, MASK, maskLines, maskText } from '#cli/sysdump/mask-text.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';

/** Letters and digits only, so that no pattern can recognise it by its form. */
const CANARY = 'cAnArY0123456789cAnArY0123456789';

/** Every form in which a secret can appear in a text. */
const SECRETS: readonly string[] = [
  `zj_${CANARY}`,
  `whsec_${CANARY}`,
  `Bearer ${CANARY}`,
  `Basic ${CANARY}`,
  `eyJhbGciOi.${CANARY}.${CANARY}`,
  `https://b.s3.amazonaws.com/k?X-Amz-Signature=${CANARY}&X-Amz-Credential=${CANARY}`,
  `https://b.s3.amazonaws.com/k?AWSAccessKeyId=${CANARY}&Signature=${CANARY}`,
  `https://example.com/?anything=${CANARY}#${CANARY}`,
  `https://user:${CANARY}@example.com/file`,
  `redis://:${CANARY}@redis:6379/0`,
  `/k?X-Amz-Signature=${CANARY}`,
  `X-Amz-Security-Token=${CANARY}`,
  `X-Amz-Signature%3D${CANARY}%26x`,
  `access_token=${CANARY}`,
  `sig=${CANARY}`,
  `--redis-password=${CANARY}`,
  `AWS_SECRET_ACCESS_KEY=${CANARY}`,
  `AKIA${CANARY.toUpperCase()}`,
  `authorization: ${CANARY}`,
  `Cookie: session=${CANARY}`,
  `x-api-key: ${CANARY}`,
  `"password":"${CANARY}"`,
  `"secretAccessKey": "${CANARY}\\"${CANARY}"`,
  `-----BEGIN EC PRIVATE KEY-----\n${CANARY}\n-----END EC PRIVATE KEY-----`,
];

/** Every place in which such a text can appear. */
const PLACES: Readonly<Record<string, (text: string) => string>> = {
  'a plain text': (text) => text,
  'a sentence': (text) => `the source responded with 403 to ${text} after 3 attempts`,
  'a JSON member': (text) => JSON.stringify({ level: 50, msg: text }),
  'a JSON member in a JSON string': (text) =>
    JSON.stringify({ body: JSON.stringify({ error: { message: text } }) }),
  'JSON after text': (text) => `response: ${JSON.stringify({ message: text })}`,
  'the last line of a log': (text) => `first\n{"level":30}\n${text}`,
};

const SECRET_NAMES = [
  'token',
  'secretAccessKey',
  'REDIS_PASSWORD',
  'clientSecret',
  'x-api-key',
  'Authorization',
  'apiKey',
  'accessKeyId',
];

function text(value: unknown): string {
  return JSON.stringify(value);
}

describe('maskText', () => {
  for (const [place, put] of Object.entries(PLACES))
    it(`masks secrets in ${place} (H9)`, () => {
      for (const secret of SECRETS) {
        expect(maskLines(put(secret)), secret).not.to.match(/canary/i);
        // In JSON, a multi-line key is a single line.
        expect(maskText(put(secret)), secret).not.to.match(/canary/i);
      }
    });

  it('masks every value of a member with a secret name', () => {
    for (const name of SECRET_NAMES) {
      expect(maskText(text({ [name]: CANARY })), name).not.to.contain(CANARY);
      expect(maskText(text({ deep: [{ [name]: { value: CANARY } }] })), name).not.to.contain(CANARY);
      expect(maskText(text({ deep: [{ [name]: [CANARY] }] })), name).not.to.contain(CANARY);
      expect(maskLines(`a: 1\n  ${name}: ${CANARY}\n`), name).not.to.contain(CANARY);
    }
  });

  it('keeps harmless text', () => {
    for (const plain of [
      'MountVolume.SetUp failed for volume "bucket" : secret "zipbucket-s3-reports" not found',
      'serviceaccounts "zipjobs-zipper" is forbidden: User "anna" cannot get resource "secrets"',
      'https://example.com:8443/a/b.txt',
      '{"level":30,"time":1790000000000,"name":"acme","msg":"the job was accepted","fileIndex":7}',
      'rbac.authorization.k8s.io/aggregate-to-view: "true"',
      'zip_jobs_total{phase="Succeeded"} 12',
    ])
      expect(maskLines(plain)).to.equal(plain);
  });

  it('processes a line of two megabytes', () => {
    for (const part of ['a', 'a.', 'token', '"', '\\\\"', 'https://', '{"'])
      expect(maskLines(part.repeat(1_000_000)).length).to.be.below(100_000);
  });

  it('masks values that are nested too deeply', () => {
    const deep = `${'['.repeat(5_000)}"${CANARY}"${']'.repeat(5_000)}`;
    expect(maskText(deep)).not.to.contain(CANARY);
  });
});

describe('isSecretName', () => {
  it('distinguishes secrets from references to secrets', () => {
    for (const name of SECRET_NAMES) expect(isSecretName(name), name).to.equal(true);
    for (const name of [
      'secretName',
      'secretNames',
      'secretKeyRef',
      'imagePullSecrets',
      'ZIPPER_IMAGE_PULL_SECRETS',
      'rbac.authorization.k8s.io/aggregate-to-edit',
      'SERVICE_ACCOUNT_DIR',
      'key',
      'tokenExpirationSeconds',
    ])
      expect(isSecretName(name), name).to.equal(false);
  });
});

describe('maskObject', () => {
  const metadata = {
    namespace: 'acme',
    name: 'x',
    managedFields: [{ manager: CANARY }],
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': text({ spec: { url: CANARY } }),
      [ANNOTATIONS.task]: text({ files: [{ url: SECRETS[5], headers: { authorization: CANARY } }] }),
      note: `see ${SECRETS[7] ?? ''}`,
    },
  };

  it("masks every secret and the caller's metadata in a ZipJob", () => {
    const job = {
      kind: 'ZipJob',
      metadata,
      spec: {
        bucketRef: { name: 's3-reports' },
        key: 'a.zip',
        metadata: text({ customer: CANARY }),
        files: SECRETS.map((secret, n) => ({
          url: secret,
          filename: `${n}.txt`,
          headers: { 'x-custom': CANARY },
        })),
        webhook: {
          url: `https://hooks.example.com/services/${CANARY}?key=${CANARY}`,
          events: ['FAILED'],
          endpoints: [{ name: 'audit', url: `https://audit.example.com/${CANARY}`, events: ['FAILED'] }],
        },
      },
      status: {
        message: `file 0: ${SECRETS[5] ?? ''}`,
        failure: { code: 'SourceNotFound', message: SECRETS[6] },
        conditions: SECRETS.map((message) => ({ type: 'Failed', message })),
      },
    };
    const masked = maskObject(job);
    expect(text(masked)).not.to.match(/canary/i);
    expect(masked).to.have.nested.property('spec.webhook.url', `https://hooks.example.com/${MASK}`);
    expect(masked).to.have.nested.property('spec.files[5].url', 'https://b.s3.amazonaws.com/k?[redacted]');
    expect(masked).to.have.nested.property('spec.key', 'a.zip');
    expect(masked).to.have.nested.property('status.failure.code', 'SourceNotFound');
  });

  it('masks values of variables that may be secrets, also inside JSON', () => {
    const env = [
      ...SECRET_NAMES.map((name) => ({ name, value: CANARY })),
      { name: 'REDIS_URL', value: SECRETS[9] },
      { name: 'ZIPPER_ENV_JSON', value: text({ SOME_TOKEN: CANARY, MAX_FILES: '3' }) },
      { name: 'REDIS_AUTH', valueFrom: { secretKeyRef: { name: 'redis', key: 'password' } } },
      { name: 'PORT', value: '8080' },
    ];
    const masked = maskObject({
      kind: 'Deployment',
      metadata,
      spec: { template: { spec: { containers: [{ env }] } } },
    });
    expect(text(masked)).not.to.match(/canary/i);
    for (const kept of ['secretKeyRef', '8080', 'MAX_FILES', 'redis:6379'])
      expect(text(masked)).to.contain(kept);
  });

  it('keeps names of Secrets and masks the hash of a token', () => {
    const pod = maskObject({
      kind: 'Pod',
      metadata,
      spec: {
        volumes: [{ secret: { secretName: 'zipbucket-s3-reports' } }],
        imagePullSecrets: [{ name: 'pull' }],
      },
    });
    expect(text(pod)).to.contain('zipbucket-s3-reports').and.to.contain('"pull"');
    expect(text(maskObject({ kind: 'ZipToken', metadata, spec: { sha256: CANARY } }))).not.to.contain(CANARY);
  });

  it('masks values in a ConfigMap', () => {
    const data = { 'app.yaml': `user: anna\npassword: ${CANARY}\n`, 'app.json': text({ token: CANARY }) };
    const masked = maskObject({ kind: 'ConfigMap', metadata, data, binaryData: { blob: CANARY } });
    expect(text(masked)).not.to.match(/canary/i);
    expect(text(masked)).to.contain('user: anna');
  });
});
