/** The values for a trial, charts/zipjobs/examples/trial.yaml. test/node/trial.test.ts installs them. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { bucketResourceName, bucketSecretName, PROJECT_NAME } from '#crds/api-group.ts';
import { generateToken, hashToken, isToken, maskToken } from '#crds/api-token.ts';
import { find, type KubeObject, podOf, render } from './render.ts';

const FILE = 'charts/zipjobs/examples/trial.yaml';
const IMAGE = 'registry.example.com/versitygw:1';

describe('the values for a trial', function () {
  this.timeout(30 * 60_000);
  const FLAGS = ['--values', FILE];
  const VALUES = { 'image.registry': 'registry.example.com', 'global.trial.storeImage': IMAGE };
  let objects: readonly KubeObject[];
  before(async () => {
    objects = await render(VALUES, FLAGS);
  });

  function specOf(kind: string, name: string): Readonly<Record<string, unknown>> {
    return find(objects, kind, name)['spec'] as Readonly<Record<string, unknown>>;
  }

  it('need the image of an S3 server, and say so (Q-D2)', async () => {
    const { 'image.registry': registry } = VALUES;
    const refusal = await render({ 'image.registry': registry }, FLAGS).then(() => '', String);
    expect(refusal).to.contain('Set global.trial.storeImage to an image of versitygw, such as');
    expect(podOf(find(objects, 'Deployment', 'store')).containers[0]?.image).to.equal(IMAGE);
  });

  it('give the bucket the key and the address of the S3 server (Q-D2)', () => {
    const bucket = bucketResourceName('s3', 'archives');
    const endpoint = new URL(String(specOf('ZipBucket', bucket)['endpoint']));
    const service = find(objects, 'Service', 'store');
    expect(endpoint.host).to.equal(`store.${service.metadata.namespace}.svc:9000`);
    const [container] = podOf(find(objects, 'Deployment', 'store')).containers;
    const secret = { name: bucketSecretName(bucket) };
    expect(find(objects, 'Secret', secret.name)['stringData']).to.have.keys('accessKeyId', 'secretAccessKey');
    expect(container?.env).to.deep.equal([
      { name: 'ROOT_ACCESS_KEY', valueFrom: { secretKeyRef: { ...secret, key: 'accessKeyId' } } },
      { name: 'ROOT_SECRET_KEY', valueFrom: { secretKeyRef: { ...secret, key: 'secretAccessKey' } } },
    ]);
  });

  it('store the hash of their token, and of another one (Q-D2)', async () => {
    const { global } = parse(await readFile(FILE, 'utf8')) as { global: { trial: { token: string } } };
    const own = global.trial.token;
    const other = generateToken();
    expect(isToken(own)).to.equal(true);
    const { sha256, masked } = specOf('ZipToken', 'trial');
    expect({ sha256, masked }).to.deep.equal({ sha256: hashToken('demo', own), masked: maskToken(own) });
    const changed = await render({ ...VALUES, 'global.trial.token': other }, FLAGS);
    expect(find(changed, 'ZipToken', 'trial')['spec']).to.include({
      sha256: hashToken('demo', other),
      masked: maskToken(other),
    });
  });

  it('create objects of our kinds after the CRDs (Q-D2)', () => {
    const names = { ZipProject: PROJECT_NAME, ZipBucket: 's3-archives', ZipToken: 'trial' };
    for (const [kind, name] of Object.entries(names))
      expect(find(objects, kind, name).metadata.annotations, kind).to.deep.equal({
        'helm.sh/hook': 'post-install',
      });
  });
});
