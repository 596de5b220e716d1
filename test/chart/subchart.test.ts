/** The chart as a dependency of a chart of the operator. */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { helm } from './helm-session.ts';
import { CHART, find, type KubeObject, objectsIn, podOf, type Values } from './render.ts';

interface Dependency {
  readonly condition?: string;
  readonly tags?: readonly string[];
  readonly alias?: string;
}

describe('the chart as a dependency', function () {
  this.timeout(30 * 60_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zipjobs-parent-'));
    await mkdir(join(folder, 'charts'));
    await cp(CHART, join(folder, 'charts/zipjobs'), { recursive: true });
  });
  after(() => rm(folder, { recursive: true }));

  async function rendered(dependency: Dependency, values: Values): Promise<readonly KubeObject[]> {
    const chart = {
      apiVersion: 'v2',
      name: 'platform',
      version: '1.0.0',
      dependencies: [{ name: 'zipjobs', version: '*', ...dependency }],
    };
    await writeFile(join(folder, 'Chart.yaml'), stringify(chart));
    await writeFile(join(folder, 'values.yaml'), stringify(values));
    return objectsIn(await helm(['template', 'platform', folder, '--namespace', 'platform']));
  }
  const image = { registry: 'registry.example.com/zipjobs' };

  it('is switched by a condition below its own name (X45)', async () => {
    const condition = 'zipjobs.enabled';
    const objects = await rendered({ condition }, { zipjobs: { enabled: true, image } });
    find(objects, 'Deployment', 'platform-zipjobs-api');
    expect(await rendered({ condition }, { zipjobs: { enabled: false, image } })).to.deep.equal([]);
  });

  it('is switched by tags of the parent, also if its own values repeat them (X45)', async () => {
    const tags = { archives: true };
    const values = { tags, zipjobs: { tags, image } };
    find(await rendered({ tags: ['archives'] }, values), 'Deployment', 'platform-zipjobs-api');
    expect(await rendered({ tags: ['archives'] }, { ...values, tags: { archives: false } })).to.deep.equal(
      [],
    );
  });

  it('accepts global values of other charts, and reads its own (X45)', async () => {
    const global = {
      imageRegistry: 'mirror.example.com',
      imagePullSecrets: ['mirror'],
      storageClass: '',
      security: { allowInsecureImages: true },
      compatibility: {
        openshift: { adaptSecurityContext: 'force', other: 1 },
        omitEmptySeLinuxOptions: true,
      },
    };
    const objects = await rendered({}, { global, zipjobs: { image } });
    expect(
      podOf(find(objects, 'Deployment', 'platform-zipjobs-api'))['securityContext'],
    ).not.to.have.any.keys('runAsUser', 'fsGroup');
    // Global values of a parent without the part that we read.
    const others = await rendered({}, { global: { imageRegistry: 'x' }, zipjobs: { image } });
    expect(podOf(find(others, 'Deployment', 'platform-zipjobs-api'))['securityContext']).to.include({
      runAsUser: 65_532,
    });
  });

  it('may have an alias, and the values below it (X45)', async () => {
    const objects = await rendered(
      { alias: 'archives', condition: 'archives.enabled' },
      { archives: { enabled: true, image } },
    );
    find(objects, 'Deployment', 'platform-archives-api');
  });

  it('still refuses unknown values (X45)', async () => {
    const refusal = await rendered({}, { zipjobs: { image, enable: true } }).then(() => '', String);
    expect(refusal).to.contain("additional properties 'enable' not allowed");
  });
});
