import { expect } from 'chai';
import { ZIPPER_ENV, ZIPPER_PATHS } from '#crds/zipper-contract.ts';
import { DIGEST, namesOf, otherNames } from '#test/support/image-names.ts';
import { find, refusalOf, render, type Values } from './render.ts';

/** The CEL expressions of the policy's variables, by name. */
async function variablesOf(values: Values = {}): Promise<ReadonlyMap<string, string>> {
  const policy = find(await render(values), 'ValidatingAdmissionPolicy', 'zipjobs-zipper-jobs');
  const { variables } = policy['spec'] as {
    variables: readonly { readonly name: string; readonly expression: string }[];
  };
  return new Map(variables.map(({ name, expression }) => [name, expression]));
}

/** The images that the policy accepts. Go and JavaScript read this pattern alike. */
async function imagesOf(values: Values): Promise<RegExp> {
  const expression = (await variablesOf(values)).get('containerRefused') ?? '';
  const pattern = /\["image"\]\]\.all\(value, value\.matches\(("(?:[^"\\]|\\.)*")\)\)/.exec(expression)?.[1];
  if (pattern === undefined) throw new Error(`the policy has no pattern of images: ${expression}`);
  return new RegExp(JSON.parse(pattern) as string, 'u');
}

const MIRROR = 'mirror.example.com:5000/cache/acme/zipjobs-zipper';

describe("the chart's table of zipper Jobs", function () {
  this.timeout(30 * 60_000);

  it('names the variables and paths of the contract (N9)', async () => {
    const variables = await variablesOf({ 'trustBundle.configMapKeyRef.name': 'ca' });
    for (const name of Object.values(ZIPPER_ENV))
      expect(variables.get('envRefused'), name).to.contain(JSON.stringify(name));
    for (const path of Object.values(ZIPPER_PATHS))
      expect(`${variables.get('mountsFixed')} ${variables.get('envFixed')}`).to.contain(JSON.stringify(path));
  });

  it('keeps the sidecars of service meshes out of zipper pods unless the operator wants them (X35)', async () => {
    const fixed = (await variablesOf()).get('podLabelsFixed');
    expect(fixed).to.contain('"sidecar.istio.io/inject": dyn("false")');
    expect((await variablesOf()).get('podAnnotationsFixed')).to.contain(
      '"linkerd.io/inject": dyn("disabled")',
    );
    const other = await variablesOf({
      'zipper.podTemplate.metadata': {
        labels: { 'sidecar.istio.io/inject': 'true' },
        annotations: { 'linkerd.io/inject': 'enabled' },
      },
    });
    expect(other.get('podLabelsFixed')).to.contain('"sidecar.istio.io/inject": dyn("true")');
    expect(other.get('podAnnotationsFixed')).to.contain('"linkerd.io/inject": dyn("enabled")');
  });

  it('names the containers that webhooks may add to zipper pods (X35)', async () => {
    async function refusedContainers(values: Values): Promise<string> {
      const policy = find(await render(values), 'ValidatingAdmissionPolicy', 'zipjobs-zipper-pods');
      const { variables } = policy['spec'] as {
        variables: readonly { readonly name: string; readonly expression: string }[];
      };
      return variables.find(({ name }) => name === 'containers')?.expression ?? '';
    }
    expect(await refusedContainers({})).to.contain("name != 'zipper' && !(name in [])");
    expect(await refusedContainers({ 'policies.zipperSidecars': ['istio-proxy'] })).to.contain(
      'name in ["istio-proxy"]',
    );
    expect(await refusalOf({ 'policies.zipperSidecars': ["a' || true"] })).to.contain('zipperSidecars');
  });

  it('accepts the image of the chart and of its mirrors, with its tag, with a digest or both, and no other (X9)', async () => {
    const image = { 'image.registry': 'registry.example.com:5000/acme', 'zipper.image.tag': '1.2.3' };
    const own = 'registry.example.com:5000/acme/zipjobs-zipper';
    const strict = await imagesOf(image);
    for (const name of namesOf(own, '1.2.3')) expect(name).to.match(strict);
    for (const name of [...otherNames(own, '1.2.3'), ...namesOf(MIRROR, '1.2.3')])
      expect(name).not.to.match(strict);
    const mirrored = await imagesOf({ ...image, 'policies.zipperImageMirrors': [MIRROR] });
    for (const repository of [own, MIRROR]) {
      for (const name of namesOf(repository, '1.2.3')) expect(name).to.match(mirrored);
      for (const name of otherNames(repository, '1.2.3')) expect(name).not.to.match(mirrored);
    }
  });

  it('accepts only the digest that the operator pinned, also from mirrors (X9)', async () => {
    const pinned = await imagesOf({
      'zipper.image.digest': DIGEST,
      'zipper.image.tag': '1.2.3',
      'policies.zipperImageMirrors': [MIRROR],
    });
    for (const repository of ['registry.example.com/zipjobs/zipjobs-zipper', MIRROR]) {
      expect(`${repository}@${DIGEST}`).to.match(pinned);
      expect(`${repository}@sha256:${'f'.repeat(64)}`).not.to.match(pinned);
      expect(`${repository}:1.2.3`).not.to.match(pinned);
      for (const name of otherNames(repository, '1.2.3')) expect(name).not.to.match(pinned);
    }
  });

  for (const mirror of [
    `${MIRROR}:1.2.3`,
    `${MIRROR}@${DIGEST}`,
    'https://mirror.example.com/x',
    'a b',
    '.*',
  ])
    it(`refuses ${mirror} as a mirror (X9)`, async () => {
      expect(await refusalOf({ 'policies.zipperImageMirrors': [mirror] })).to.contain('zipperImageMirrors');
    });

  it('accepts the addresses of the API server with and without ports, and no other text (X56)', async () => {
    const expression = (await variablesOf()).get('envRefused') ?? '';
    const pattern = /matches\('(\^\[0-9a-f\.:,[^']*)'\)/.exec(expression)?.[1];
    // A string of CEL has the escapes of a string of JSON here.
    const accepted = new RegExp(JSON.parse(`"${pattern}"`) as string, 'u');
    for (const text of ['10.0.0.1', '10.0.0.1:6443,10.96.0.1:443', '[fd00::1]:6443,fd00::2'])
      expect(text).to.match(accepted);
    for (const text of ['none', 'host:6443', '10.0.0.1 10.0.0.2', '0.0.0.0/0', '\\'])
      expect(text).not.to.match(accepted);
  });

  it("requires the operator's settings with their values (N9)", async () => {
    const variables = await variablesOf({ 'egress.denyCidrs': ['192.0.2.0/24'] });
    expect(variables.get('envFixed')).to.contain(
      'dyn({"name": dyn("EGRESS_DENY_CIDRS"), "value": dyn("192.0.2.0/24")})',
    );
    expect(variables.get('envRefused')).to.match(/\["EGRESS_DENY_CIDRS".*\]\.filter\(name, !/);
  });

  it("allows the operator's pull Secrets only (N9)", async () => {
    expect((await variablesOf()).get('podRefused')).not.to.contain('imagePullSecrets');
    const variables = await variablesOf({
      'zipper.podTemplate.spec.imagePullSecrets': [{ name: 'registry' }],
    });
    expect(variables.get('podFixed')).to.contain('"imagePullSecrets": dyn([dyn({"name": dyn("registry")})])');
  });

  it("requires the operator's labels, annotations and pod fields (X26)", async () => {
    const bare = await variablesOf();
    for (const field of ['affinity', 'runtimeClassName', 'topologySpreadConstraints'])
      expect(bare.get('podRefused')).not.to.contain(field);
    const variables = await variablesOf({
      'zipper.podTemplate': {
        metadata: {
          labels: { 'sidecar.istio.io/inject': 'false' },
          annotations: { 'example.com/cost': 'a "quoted" text' },
        },
        spec: {
          runtimeClassName: 'gvisor',
          affinity: { nodeAffinity: {} },
          topologySpreadConstraints: [{ maxSkew: 1 }],
        },
      },
    });
    expect(variables.get('podLabelsFixed')).to.contain('"sidecar.istio.io/inject": dyn("false")');
    expect(variables.get('podAnnotationsFixed')).to.contain(
      String.raw`"example.com/cost": dyn("a \"quoted\" text")`,
    );
    expect(variables.get('podFixed')).to.contain('"runtimeClassName": dyn("gvisor")');
    expect(variables.get('podRefused')).to.match(
      /\["affinity".*"runtimeClassName".*"topologySpreadConstraints".*\]\.filter\(field, !/,
    );
  });

  for (const [what, values] of [
    ['label', { 'zipper.podTemplate.metadata.labels': { 'app.kubernetes.io/component': 'mine' } }],
    ['annotation', { 'zipper.podTemplate.metadata.annotations': { 'zipjobs.dev/task': '{}' } }],
  ] as const)
    it(`refuses a ${what} that the controller writes itself (X26)`, async () => {
      expect(await refusalOf(values)).to.contain('which the controller sets itself: remove it');
    });

  it("allows a token for the operator's audiences only (X21)", async () => {
    async function audiencesIn(values: Values = {}) {
      return /(\[[^\]]*\])\.exists\(audience/.exec(
        (await variablesOf(values)).get('volumesRefused') ?? '',
      )?.[1];
    }
    expect(await audiencesIn()).to.equal('[]');
    expect(await audiencesIn({ 'store.webIdentity.audiences': ['sts.example.com'] })).to.equal(
      '["sts.example.com"]',
    );
  });

  it('lets a queue remove the labels and annotations that it added, but not those of the table (N9)', async () => {
    const isAdmitted = (await variablesOf()).get('isAdmitted');
    expect(isAdmitted).to.contain('labels.all(name, !(name in ["app.kubernetes.io/component",');
    expect(isAdmitted).to.contain('annotations.all(name, !(name in [');
    for (const name of ['karpenter.sh/do-not-disrupt', 'zipjobs.dev/task'])
      expect(isAdmitted).to.match(
        new RegExp(String.raw`annotations\.all\(name, !\(name in \[[^\]]*"${name}"`),
      );
  });

  for (const level of ['job', 'podLabels', 'podAnnotations', 'pod', 'container'])
    it(`can be extended by a name: policies.zipperJobs.${level} (N9)`, async () => {
      const variables = await variablesOf({ [`policies.zipperJobs.${level}`]: ['example.com/x'] });
      expect(variables.get(`${level}Refused`)).to.contain('"example.com/x"');
    });
});
