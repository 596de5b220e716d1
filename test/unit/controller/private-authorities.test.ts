/** The certificate authorities of the controller: for webhooks, and for the zippers that it starts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSender } from '#controller/webhook/sender.ts';
import { parseSigningSecret } from '#controller/webhook/signature.ts';
import { createCurrentConfig } from '#controller/wiring/wiring.ts';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { archiveJob, recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipperTask } from '#crds/zipper-task.ts';
import { createLogger } from '#runtime/log/log.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { type BundleTrust, createBundleTrust } from '#runtime/tls/bundle-file.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { aZipBucket, aZipJob } from '#test/support/builders/objects.ts';
import { certificateText, startTlsFront } from '#test/support/servers/tls-front.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const keys = [parseSigningSecret(SECRET) ?? Buffer.alloc(0)];
const CA = certificateText('private-ca.pem');
const OTHER = certificateText('ca.pem');

describe('the certificate authorities of the controller', () => {
  let dir: string;
  let file: string;
  let trust: BundleTrust;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'trust-'));
    file = join(dir, 'ca.crt');
    writeFileSync(file, OTHER);
    const settings = { trustBundleFile: file, trustBundleReloadMs: 0 };
    trust = createBundleTrust(settings, {
      clock: systemClock,
      log: createLogger('test', { level: 'silent' }),
    });
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('follow a rotated bundle for webhooks without a restart (X22)', async () => {
    await using receiver = await startWebhookReceiver();
    await using front = await startTlsFront(receiver.url);
    await using resources = new AsyncDisposableStack();
    const config = aConfig({ egressAllowCidrs: ['127.0.0.0/8'] });
    const secrets = { get: () => Promise.resolve(undefined) };
    const { deliver } = createSender({ config, secrets, clock: systemClock, trust, resources });
    async function send() {
      return (await deliver({ url: front.url, id: 'msg_1', body: '{}', keys })).delivery;
    }
    expect((await send()).error).to.equal('tls');
    writeFileSync(file, CA);
    expect((await send()).status).to.equal(204);
    writeFileSync(file, 'no certificate');
    expect((await send()).status).to.equal(204);
  });

  it('reach the zippers that start after a rotation (X22)', () => {
    const currentConfig = createCurrentConfig(aConfig({ zipperEnv: { LOG_LEVEL: 'debug' } }), trust);
    function envOf() {
      return (
        archiveJob(aZipJob(), aZipBucket(), currentConfig()).spec?.template.spec?.containers[0]?.env ?? []
      );
    }
    expect(envOf()).to.deep.include({ name: 'TRUST_BUNDLE', value: OTHER });
    expect(currentConfig()).to.equal(currentConfig());
    writeFileSync(file, CA + OTHER);
    expect(envOf()).to.deep.include({ name: 'TRUST_BUNDLE', value: CA + OTHER });
    expect(envOf()).to.deep.include({ name: 'LOG_LEVEL', value: 'debug' });
  });

  it('of a bucket reach its archives, recoveries and tests as part of the task only (X22)', () => {
    const bucket = aZipBucket({ caBundle: CA });
    const config = aConfig();
    const upload = { state: 'open', uploadId: 'u', partSize: 1 } as const;
    const attempt = { n: 1, podUid: 'pod' };
    for (const { spec } of [
      archiveJob(aZipJob(), bucket, config),
      recoveryJob(aZipJob(), { attempt, upload, bucket, now: new Date() }, config),
      testJob(bucket, '1', config),
    ]) {
      const { metadata, spec: pod } = spec?.template ?? {};
      const task = JSON.parse(metadata?.annotations?.[ANNOTATIONS.task] ?? '') as ZipperTask;
      expect(task.bucket.caBundle).to.equal(CA);
      expect(JSON.stringify(pod)).not.to.contain('CERTIFICATE');
    }
  });

  it('are not copied to zippers without a bundle', () => {
    const config = aConfig();
    expect(createCurrentConfig(config, { additional: () => '' })()).to.equal(config);
  });
});
