/** The objects of the chart, judged by a real API server that has the definitions of all foreign kinds. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { find, type KubeObject, NAMESPACE, render } from '#test/chart/render.ts';
import { requirePrograms, skipTests } from '#test/support/processes/require-programs.ts';
import { startNodelessCluster } from '#tools/local-cluster/cluster.ts';
import type { CommandResult, NodelessCluster } from '#tools/local-cluster/cluster-types.ts';

const run = promisify(execFile);
const MODULES = 'tools/foreign-crds';
const VALUES = 'test/chart/values';
const EXAMPLES = 'charts/zipjobs/examples';
/** Google publishes no Go module with its definition; test/chart/examples.test.ts checks its fields. */
const WITHOUT_DEFINITION = new Set(['HealthCheckPolicy']);
/** Services may have addresses of both IP families. */
const FLAGS = ['--service-cluster-ip-range=10.0.0.0/24,fd00::/112'];

/** Where the modules have the definitions of the kinds that the chart creates. */
const DEFINITIONS: Readonly<Record<string, readonly string[]>> = {
  'github.com/cilium/cilium': ['networkpolicies', 'clusterwidenetworkpolicies'].map(
    (name) => `pkg/k8s/apis/cilium.io/client/crds/v2/cilium${name}.yaml`,
  ),
  'github.com/prometheus-operator/prometheus-operator': [
    'podmonitors',
    'prometheusrules',
    'servicemonitors',
  ].map((name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`),
  'github.com/openshift/api': ['route/v1/zz_generated.crd-manifests/routes.crd.yaml'],
  'sigs.k8s.io/gateway-api': ['backendtlspolicies', 'gateways', 'httproutes'].map(
    (name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`,
  ),
};

interface Module {
  readonly Path: string;
  readonly Dir: string;
}

interface FailedCommand {
  readonly stdout: string;
  readonly stderr: string;
}

/** Downloads the modules, or finds them in Go's cache. Go verifies them by go.sum. */
async function downloadModules(): Promise<readonly Module[]> {
  const { stdout } = await run('go', ['mod', 'download', '-json'], { cwd: MODULES });
  return JSON.parse(`[${stdout.trim().replaceAll('}\n{', '},{')}]`) as readonly Module[];
}

/** The objects of all values files, without duplicates. */
async function renderAll(): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  const examples = ['eks', 'gke', 'openshift'].map((name) => join(EXAMPLES, `${name}.yaml`));
  for (const file of [...readdirSync(VALUES).map((name) => join(VALUES, name)), ...examples])
    objects.push(
      ...(await render({}, ['--values', file])).filter(({ kind }) => !WITHOUT_DEFINITION.has(kind)),
    );
  return [...new Map(objects.map((object) => [JSON.stringify(object), object])).values()];
}

describe("an API server with the definitions of the chart's foreign kinds", () => {
  const life = new AsyncDisposableStack();
  let cluster: NodelessCluster;

  before(async function () {
    await requirePrograms(this, ['go']);
    const modules = await downloadModules().catch(({ stdout, stderr }: FailedCommand) => {
      const error = /"Error": "(.*)"/.exec(stdout)?.[1] ?? stderr.trim();
      skipTests(this, `the modules of ${MODULES} cannot be downloaded: ${error}`);
      return [];
    });
    // A cluster of its own, so that other tests find no foreign kinds.
    cluster = life.use(await startNodelessCluster({ apiServerFlags: FLAGS }));
    const files = modules.flatMap(({ Path, Dir }) =>
      (DEFINITIONS[Path] ?? []).map((file) => join(Dir, file)),
    );
    const flags = files.flatMap((file) => ['-f', file]);
    await cluster.kubectl(['create', ...flags]);
    await cluster.kubectl(['wait', ...flags, '--for=condition=Established', '--timeout=120s']);
    await cluster.kubectl(['create', 'namespace', NAMESPACE]);
  });
  after(() => life.disposeAsync());

  /** The service account of a hook is not there, because nothing is created. */
  function withDefaultAccount(object: KubeObject): KubeObject {
    if (object.kind !== 'Pod') return object;
    const { serviceAccountName: _name, ...spec } = object['spec'] as Record<string, unknown>;
    return { ...object, spec };
  }

  function tryToCreate(objects: readonly KubeObject[]): Promise<CommandResult> {
    return cluster.kubectl(['create', '--dry-run=server', '--validate=strict', '-o', 'name', '-f', '-'], {
      input: objects.map((object) => JSON.stringify(withDefaultAccount(object))).join('\n'),
      allowFailure: true,
    });
  }

  it('accepts every field of every object of the values files, without a warning (X11, X24)', async () => {
    const objects = await renderAll();
    const { stdout, stderr } = await tryToCreate(objects);
    expect(stderr).to.equal('');
    const created = stdout.trim().split('\n');
    expect(created).to.have.length(objects.length);
    for (const resource of [
      'backendtlspolicy.gateway.networking.k8s.io',
      'ciliumclusterwidenetworkpolicy.cilium.io',
      'ciliumnetworkpolicy.cilium.io',
      'gateway.gateway.networking.k8s.io',
      'httproute.gateway.networking.k8s.io',
      'podmonitor.monitoring.coreos.com',
      'prometheusrule.monitoring.coreos.com',
      'route.route.openshift.io',
    ])
      expect(created.map((name) => name.replace(/\/.*/, ''))).to.include(resource);
  });

  it('refuses a filter of an HTTPRoute that breaks a rule or has an unknown field (X24)', async () => {
    const objects = await render({}, ['--values', join(VALUES, 'gateway.yaml')]);
    const route = find(objects, 'HTTPRoute', 'zipjobs-api');
    async function refusalOf(filter: unknown): Promise<string> {
      const { rules } = route['spec'] as { readonly rules: readonly object[] };
      const spec = {
        ...(route['spec'] as object),
        rules: rules.map((rule) => ({ ...rule, filters: [filter] })),
      };
      return (await tryToCreate([{ ...route, spec }])).stderr;
    }
    expect(await refusalOf({ type: 'URLRewrite' })).to.contain('urlRewrite must be specified');
    expect(await refusalOf({ type: 'URLRewrite', urlRewrite: { host: 'a' } })).to.contain(
      'unknown field "spec.rules[0].filters[0].urlRewrite.host"',
    );
  });
});
