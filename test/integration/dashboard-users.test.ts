/** What the roles of the cluster allow in the dashboard, for users who are signed in. */
import { expect } from 'chai';
import { PROJECT_NAME, zipJobName } from '#crds/api-group.ts';
import { startDashboardProcess } from '#test/support/processes/dashboard-process.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { createVisitor, type Visitor } from '#test/support/servers/dashboard-server.ts';
import { startRedisServer } from '#test/support/servers/redis-server.ts';
import { until } from '#test/support/until.ts';
import { type DashboardDesk, startDashboardDesk } from '#test/support/worlds/dashboard-desk.ts';

const NAMESPACE = 'dashboard-users';
const HOME = `/projects/${NAMESPACE}`;
const BUCKET = `${HOME}/buckets/s3/${NAMESPACE}-archives`;
/** The page of the default endpoint, and that of another one. */
const WEBHOOK = `${HOME}/webhook`;
const ENDPOINTS = [WEBHOOK, `${WEBHOOK}/endpoints/audit`];
/** Forms that every signed-in user can send. The last one reports missing permissions itself. */
const FOR_EVERY_USER = ['/sign-out', '/sign-out-everywhere', '/preferences', '/new-project'];
/** Objects that the dashboard could change, without the fields that controllers write. */
const KEPT = 'zipprojects,zipbuckets,ziptokens,zipjobs,secrets';

interface Seen {
  /** Statuses by path, of every page that other pages link to. */
  readonly pages: ReadonlyMap<string, number>;
  /** Actions of the forms on these pages. */
  readonly actions: readonly string[];
  /** Reasons of disabled actions. */
  readonly reasons: readonly string[];
}

function found(html: string, pattern: RegExp): readonly string[] {
  return [...html.matchAll(pattern)].map(([, text = '']) => text.replaceAll('&amp;', '&'));
}

/** Follows every link, starting at the list of projects. */
async function walk(visitor: Visitor): Promise<Seen> {
  const pages = new Map<string, number>();
  const actions = new Set<string>();
  const reasons = new Set<string>();
  const open = ['/projects', HOME];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const { status, text } = await visitor.get(path);
    pages.set(path, status);
    for (const action of found(text, /(?:<form method="post" |form)action="([^"]+)"/g)) actions.add(action);
    for (const reason of found(text, /is not allowed to ([^.]+ in [^.]+)\./g)) reasons.add(reason);
    open.push(
      ...found(text, /(?:href|data-live)="(\/(?!assets)[^"#]*)[^"]*"/g).filter((href) => !href.includes('.')),
    );
  }
  return { pages, actions: [...actions].toSorted(), reasons: [...reasons].toSorted() };
}

function withStatus({ pages }: Seen, status: number): readonly string[] {
  return [...pages].filter(([, one]) => one === status).map(([path]) => path);
}

describe('users in the dashboard', function () {
  this.timeout(300_000);
  const life = new AsyncDisposableStack();
  let desk: DashboardDesk;
  let job: string;
  let token: string;
  const seen: Record<string, Seen> = {};
  const visitors: Record<string, Visitor> = {};
  function seenBy(userName: string): Seen {
    return seen[userName] ?? { pages: new Map(), actions: [], reasons: [] };
  }
  function visitorOf(userName: string): Visitor {
    return visitors[userName] ?? createVisitor(desk.url);
  }

  before(async () => {
    desk = life.use(await startDashboardDesk(NAMESPACE));
    const { flow } = desk;
    const endpoints = [{ name: 'audit', url: `${flow.receiver.url}/audit`, events: ['FAILED'] }];
    const patch = JSON.stringify({ spec: { webhook: { endpoints } } });
    await flow.kubectl('patch', 'zipproject', PROJECT_NAME, '--type=merge', '-p', patch);
    const uuid = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a' }]);
    const running = await flow.post([{ url: flow.hold().url, filename: 'a' }]);
    // Its retries would go on for minutes, also beside the next file.
    life.defer(async () => {
      await flow.kubectl('delete', 'zipjob', zipJobName(running), '--ignore-not-found', '--timeout=60s');
    });
    await flow.project.untilPhase(uuid, ['Succeeded']);
    await flow.project.untilPhase(running, ['Running']);
    job = `${HOME}/jobs/zip-${uuid}`;
    token = (await flow.kubectl('get', 'ziptokens', '-o', 'name')).trim().split('/').at(-1) ?? '';
    const roles = { admin: 'admin', editor: 'edit', viewer: 'view', stranger: undefined } as const;
    await Promise.all(
      Object.entries(roles).map(async ([userName, role]) => {
        const visitor = await desk.visit(await desk.addUser(userName, role));
        visitors[userName] = visitor;
        if (role !== undefined)
          await until('the permissions to take effect and the jobs to be listed', async () => {
            const { status, text } = await visitor.get(`${HOME}/jobs`);
            // After the first success, the menu has no first steps, whose page has an action too.
            const isStarted = !text.includes(`${HOME}/first-steps`);
            return status === 200 && text.includes(uuid) && text.includes(running) && isStarted;
          });
        seen[userName] = await walk(visitor);
      }),
    );
  });
  after(() => life.disposeAsync());

  function changesOfBuckets(): readonly string[] {
    return [
      `${BUCKET}/credentials`,
      `${BUCKET}/delete`,
      `${BUCKET}/test`,
      `${HOME}/new-bucket`,
      `${BUCKET}/settings`,
      // The page of a bucket links to it.
      `${HOME}/new-job`,
    ];
  }
  /** With those of the deliveries of their webhooks. */
  function changesOfJobs(): readonly string[] {
    return seenBy('admin').actions.filter((action) => /\/(?:jobs|bulk)\/|\/webhook\/resend$/.test(action));
  }
  function onlyOfAdmins(): readonly string[] {
    return [
      `${BUCKET}/files/allow`,
      `${HOME}/new-token`,
      ...['caller-options', 'delete', 'general', 'job-defaults', 'limits'].map(
        (page) => `${HOME}/settings/${page}`,
      ),
      `${HOME}/tokens/${token}/revoke`,
      `${HOME}/webhook/new-endpoint`,
      ...ENDPOINTS.flatMap((endpoint) => [
        endpoint,
        `${endpoint}/disable`,
        // The default endpoint stays while there are others.
        ...(endpoint === WEBHOOK ? [] : [`${endpoint}/remove`]),
        `${endpoint}/test`,
      ]),
    ];
  }
  const rotate = ENDPOINTS.map((endpoint) => `${endpoint}/rotate-secret`);

  it('see no link to a page that they cannot open', () => {
    for (const userName of ['admin', 'editor', 'viewer'])
      expect(
        [...seenBy(userName).pages].filter(([, status]) => status >= 400),
        userName,
      ).to.deep.equal([]);
    expect(withStatus(seenBy('stranger'), 403)).to.deep.equal([HOME]);
  });

  it('with full permissions see every action enabled', () => {
    const verbs = changesOfJobs().map((action) => action.split('/').at(-1));
    expect(verbs).to.have.members(['cancel', 'run-again', 'replay-webhook', 'cancel', 'run-again', 'resend']);
    expect(seenBy('admin').actions).to.have.members([
      ...FOR_EVERY_USER,
      ...changesOfBuckets(),
      ...changesOfJobs(),
      ...onlyOfAdmins(),
      ...rotate,
    ]);
    expect(seenBy('admin').reasons).to.deep.equal([]);
  });

  it('with the edit role see the actions for jobs, buckets and the signing secret enabled', () => {
    expect(seenBy('editor').actions).to.have.members([
      ...FOR_EVERY_USER,
      ...changesOfBuckets(),
      ...changesOfJobs(),
      ...rotate,
    ]);
    expect(seenBy('editor').reasons).to.include(`list ziptokens in ${NAMESPACE}`);
    expect(seenBy('editor').reasons).to.include(`patch zipprojects &quot;project&quot; in ${NAMESPACE}`);
  });

  it('with the view role see every action disabled with its reason', async () => {
    expect(seenBy('viewer').actions).to.have.members(FOR_EVERY_USER);
    for (const reason of [
      'create zipbuckets',
      'patch zipbuckets',
      'create zipjobs',
      'patch zipjobs',
      'list ziptokens',
    ])
      expect(seenBy('viewer').reasons, reason).to.include(`${reason} in ${NAMESPACE}`);
    expect(seenBy('viewer').pages.has(`${job}/download`)).to.equal(false);
    expect((await visitorOf('viewer').get(`${job}/download`)).status).to.equal(403);
  });

  it('without permissions see no page of the project', async () => {
    const { pages, actions } = seenBy('admin');
    expect(seenBy('stranger').actions).to.have.members(FOR_EVERY_USER);
    const paths = [...pages.keys(), ...actions].filter((path) => path.startsWith(HOME));
    for (const path of paths) {
      const { status, text } = await visitorOf('stranger').get(path);
      // Some actions have no page.
      expect([403, 404], path).to.include(status);
      if (status === 403) expect(text, path).to.contain('is not allowed to get zipprojects');
    }
  });

  it('cannot make denied changes with a handwritten form', async () => {
    function state(): Promise<string> {
      return desk.flow.kubectl(
        'get',
        KEPT,
        '-o',
        'jsonpath={range .items[*]}{.metadata.name}{.spec}{.data}{"\\n"}{end}',
      );
    }
    const before = await state();
    for (const userName of ['editor', 'viewer', 'stranger']) {
      const visitor = visitorOf(userName);
      const csrf = await visitor.csrf('/projects');
      const offered = new Set(seenBy(userName).actions);
      const refused = seenBy('admin').actions.filter((action) => !offered.has(action));
      const responses = await Promise.all(
        refused.map((action) =>
          visitor.post(action, {
            csrf,
            bucketName: 'x',
            name: 'x',
            endpoint: 'x',
            url: 'https://evil.example/',
            force: 'yes',
          }),
        ),
      );
      expect(
        responses.map(({ status }) => status),
        userName,
      ).to.deep.equal(refused.map(() => 403));
    }
    expect(await state()).to.equal(before);
  });

  it('see that the API server rejected their token', async () => {
    const visitor = createVisitor(desk.url);
    const { status, text } = await visitor.signIn('eyJhbGciOiJub25lIn0.e30.forged');
    expect(status).to.equal(422);
    expect(text).to.contain('rejected this token');
    expect(visitor.cookies.size).to.equal(0);
  });

  it('lose the access with their RoleBinding, and the session with their token', async () => {
    const leaver = await desk.addUser('leaver', 'view');
    const visitor = await desk.visit(leaver);
    expect((await visitor.get(HOME)).status).to.equal(200);
    await leaver.dropRole();
    // The authorizer of the API server learns of it from a watch.
    const question = ['auth', 'can-i', 'get', 'zipprojects', '-n', NAMESPACE, `--as=${leaver.name}`];
    await until(
      'the authorizer to apply it',
      async () => (await desk.flow.cluster.kubectl(question, { allowFailure: true })).exitCode !== 0,
    );
    expect((await visitor.get(HOME)).status).to.equal(403);
    await leaver.revoke();
    // The API server keeps a verdict about a token for ten seconds.
    const ended = await until(
      'the session to end',
      async () => {
        const response = await visitor.get(HOME);
        return response.status === 303 && response;
      },
      { intervalMs: 500 },
    );
    expect(ended.headers.get('location')).to.contain('/sign-in?').and.contain('why=ended');
    expect(visitor.cookies.size).to.equal(0);
  });

  it('are asked to sign in again while Redis is down, and never see an internal error', async function () {
    await requirePrograms(this, ['redis-server']);
    await using redis = await startRedisServer();
    const env = { REDIS_URL: redis.url };
    await using dashboard = await startDashboardProcess(desk.flow.cluster, { env });
    const { token } = await desk.addUser('again', 'view');
    const visitor = createVisitor(dashboard.url);
    async function signIn(): Promise<number> {
      return (await visitor.signIn(token)).status;
    }
    expect(await signIn()).to.equal(303);
    expect((await visitor.get(HOME)).status).to.equal(200);
    await redis.kill();
    expect((await visitor.get(HOME)).status).to.equal(303);
    const { status, text } = await visitor.get('/sign-in');
    expect(status).to.equal(200);
    expect(text).to.contain('The session store is not responding');
    expect(await signIn()).to.equal(503);
    await redis.start();
    await until('sign-in to work again', async () => (await signIn()) === 303);
    expect((await visitor.get(HOME)).status).to.equal(200);
  });
});
