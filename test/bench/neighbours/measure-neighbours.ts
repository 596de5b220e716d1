/** The response times of one project, without and with another project that misbehaves. */
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signIn } from '#test/support/clients/kube-user.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { startDashboardProcess } from '#test/support/processes/dashboard-process.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { createDashboardUser } from '#test/support/worlds/dashboard-users.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject } from '#test/support/worlds/project.ts';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import { median } from '../bench-result.ts';
import { quantile } from '../rates.ts';
import { startAttacker } from './attacker.ts';
import { clearJobs } from './clear-jobs.ts';
import { type Attacker, createStore, prepare, removeLogPod } from './preparations.ts';
import { MEASURES, type ProbeDeps, probe, type Times } from './probes.ts';
import { WAYS } from './ways.ts';

export interface NeighbourFigure {
  readonly case: 'neighbours';
  readonly way: string;
  readonly what: (typeof MEASURES)[number];
  /** Medians of the rounds, in milliseconds. */
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Compared with the same project undisturbed. Targets: 1.5 and 3. */
  readonly p50_ratio: number;
  readonly p99_ratio: number;
  /** Completed requests of the misbehaving project, also the refused ones. */
  readonly attacks_per_s: number;
}

export interface NeighbourOptions {
  readonly seconds: number;
  readonly rounds: number;
  /** Stored jobs of the misbehaving project, and its undelivered webhooks (at most 1,000). */
  readonly jobs: number;
  /** Names of ways; all if there are none. */
  readonly ways: readonly string[];
  /** Receives the figures of a way when it is done. */
  readonly report: (figure: NeighbourFigure) => void;
  readonly log: (line: string) => void;
}

/** Its Jobs are created suspended: pods would run on nodes of their own. */
const QUEUE = 'bench';
/** Building the largest bodies takes about a second. */
const RAMP_UP_MS = 3_000;
/** Until hot functions are compiled. */
const WARM_UP_SECONDS = 5;
const SILENT_NAMES = resolve(import.meta.dirname, '../../support/processes/pods/silent-name-server.ts');

async function openWorld({ log, jobs }: NeighbourOptions) {
  await using opened = new AsyncDisposableStack();
  log('neighbours: starting a cluster');
  const cluster = opened.use(await startCluster({ log }));
  const api = opened.use(await adminApi(cluster));
  const admin = opened.use(await signIn(cluster));
  const installed = await installChart(cluster, {
    controller: {
      replicas: 1,
      nodeOptions: `--max-semi-space-size=4 --max-old-space-size=256 --import=${SILENT_NAMES}`,
      settings: { TRUSTED_QUEUES: [QUEUE] },
    },
  });
  const receiver = opened.use(await startWebhookReceiver());
  const jobDefaults = { queueName: QUEUE };
  const project = opened.use(await createProject(cluster, { namespace: 'neighbour', jobDefaults }));
  const other = opened.use(await createProject(cluster, { namespace: 'attacker', jobDefaults }));
  const user = await createDashboardUser(cluster, other.namespace, { account: 'editor', role: 'edit' });
  // Signs in more often than the limit allows, because a measurement is shorter than a real session.
  const env = { DASHBOARD_SIGN_INS_PER_MINUTE: '0', DASHBOARD_ALLOW_HTTP: 'true' };
  const dashboard = opened.use(await startDashboardProcess(cluster, { env }));
  const baseUrl = await installed.apiUrl();
  for (const { token } of [project, other]) await untilTokenKnown(baseUrl, token);
  const resources = opened.move();
  const probed: ProbeDeps = { baseUrl, project, api, admin, receiver };
  const dashboardUrl = dashboard.url;
  const attacker: Attacker = { project: other, api, admin, dashboardUrl, userToken: user.token, jobs };
  return { probed, attacker, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

type World = Awaited<ReturnType<typeof openWorld>>;

async function clear({ probed, attacker }: World, kept: ReadonlySet<string>): Promise<void> {
  const { admin, project } = attacker;
  await removeLogPod(attacker);
  await clearJobs(admin, project.namespace, kept);
  await clearJobs(admin, probed.project.namespace);
}

async function disturbed({ probed, attacker }: World, way: string, seconds: number) {
  const { baseUrl } = probed;
  const { token, bucketName } = attacker.project;
  const prepared = await prepare(way, attacker);
  await using attack = await startAttacker({ way, target: { baseUrl, token, bucketName, ...prepared } });
  await delay(RAMP_UP_MS);
  const [before, startedAt] = [attack.requests(), performance.now()];
  const beside = await probe(probed, seconds);
  return {
    beside,
    attacksPerSecond: ((attack.requests() - before) * 1_000) / (performance.now() - startedAt),
  };
}

interface Round {
  readonly alone: Times;
  readonly beside: Times;
  readonly attacksPerSecond: number;
}

function figuresOf(way: string, rounds: readonly Round[]): readonly NeighbourFigure[] {
  return MEASURES.map((what) => {
    function of(share: number, which: 'alone' | 'beside'): number {
      return median(rounds.map((round) => quantile(round[which][what], share)));
    }
    function round(value: number): number {
      return Number(value.toPrecision(3));
    }
    return {
      case: 'neighbours',
      way,
      what,
      p50_ms: round(of(0.5, 'beside')),
      p99_ms: round(of(0.99, 'beside')),
      p50_ratio: round(of(0.5, 'beside') / of(0.5, 'alone')),
      p99_ratio: round(of(0.99, 'beside') / of(0.99, 'alone')),
      attacks_per_s: round(median(rounds.map(({ attacksPerSecond }) => attacksPerSecond))),
    };
  });
}

/** Rounds alternate between undisturbed and disturbed, so that a slow machine affects both. */
export async function measureNeighbours(options: NeighbourOptions): Promise<void> {
  const { seconds, rounds, report, log } = options;
  const ways = options.ways.length === 0 ? Object.keys(WAYS) : options.ways;
  await using world = await openWorld(options);
  const store = createStore(world.attacker);
  await probe(world.probed, WARM_UP_SECONDS);
  for (const way of ways) {
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      log(`neighbours: ${way}, round ${round + 1} of ${rounds}`);
      await clear(world, await store(way));
      const alone = await probe(world.probed, seconds);
      measured.push({ alone, ...(await disturbed(world, way, seconds)) });
    }
    for (const figure of figuresOf(way, measured)) report(figure);
  }
}
