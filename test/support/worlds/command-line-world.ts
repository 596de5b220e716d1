/** Users of the command line, and a namespace that one of them owns. */
import { expect } from 'chai';
import { type CommandLine, createCommandLine } from '../processes/command-line.ts';
import { untilAllowed } from '../until-allowed.ts';
import { type Flow, startFlow } from './flow.ts';

export interface Refusal {
  readonly code: number;
  /** The message, or a pattern for one with variable parts. */
  readonly says: string | RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

/** The error when a command needs a confirmation and there is no terminal. */
export const UNCONFIRMED = 'Cannot ask for confirmation without a terminal. Pass --yes to confirm';

/** The error when a command needs credentials and there is no terminal. */
export const NO_CREDENTIALS =
  'No bucket credentials given, and no terminal to ask for them. Pass them in a file (--credentials-file FILE), on standard input (--credentials-file -), or in ZIPJOBS_ACCESS_KEY_ID and ZIPJOBS_SECRET_ACCESS_KEY';

/** The error when a user lacks a permission; `where` is such as `in namespace acme`. */
export function permissionDenied(
  user: string,
  [verb, resource]: readonly [string, string],
  where: string,
): string {
  return (
    `User "${user}" cannot ${verb} ${resource} ${where}. ` +
    `Ask your cluster administrator for a role that allows ${verb} on ${resource} there`
  );
}

export interface CommandLineWorld extends AsyncDisposable {
  readonly flow: Flow;
  /** The namespace that the owner owns. */
  readonly own: string;
  /** A project that the owner can view. */
  readonly other: string;
  /** Olivia has the role admin in one namespace, can view the other, and has no further permissions. */
  readonly owner: CommandLine;
  /** Victor can view Olivia's namespace. */
  readonly viewer: CommandLine;
  /** The cluster administrator. */
  readonly platform: CommandLine;
  /** Credentials of the local store, in the environment. */
  readonly credentials: Readonly<Record<'ZIPJOBS_ACCESS_KEY_ID' | 'ZIPJOBS_SECRET_ACCESS_KEY', string>>;
  /** Arguments for the owner's namespace. */
  inOwn(...args: readonly string[]): readonly string[];
  /** Arguments that create a bucket of the local store. */
  newBucket(name: string): readonly string[];
  /** The output of kubectl in the owner's namespace. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** Runs a command that fails: with this exit code and message, and with nothing on standard output. */
  refused(who: CommandLine, args: readonly string[], want: Refusal): Promise<void>;
  /** Expects that no output contains a credential, the planted CANARY, or a control character. */
  expectNoSecretPrinted(): void;
}

/** The namespace exists and contains no project yet. */
export async function startCommandLineWorld(own: string): Promise<CommandLineWorld> {
  const other = `${own}-other`;
  await using started = new AsyncDisposableStack();
  const flow = started.use(await startFlow(other));
  const { cluster } = flow;
  const { store } = cluster;
  async function bind(namespace: string, role: string, user: string): Promise<void> {
    const apiGroup = 'rbac.authorization.k8s.io';
    const binding = {
      apiVersion: `${apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata: { namespace, name: `${user}-${role}` },
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup, kind: 'User', name: user }],
    };
    await cluster.apply([binding]);
    await untilAllowed(cluster, { user, verb: 'get', resource: 'zipprojects.zipjobs.dev', namespace });
  }
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: own } }]);
  await bind(own, 'admin', 'olivia');
  await bind(other, 'view', 'olivia');
  await bind(own, 'view', 'victor');
  const owner = createCommandLine({ kubeconfig: await cluster.kubeconfigFor({ commonName: 'olivia' }) });
  const viewer = createCommandLine({ kubeconfig: await cluster.kubeconfigFor({ commonName: 'victor' }) });
  const platform = createCommandLine({ kubeconfig: cluster.kubeconfigPath });
  const resources = started.move();
  return {
    flow,
    own,
    other,
    owner,
    viewer,
    platform,
    credentials: {
      ZIPJOBS_ACCESS_KEY_ID: store.accessKeyId,
      ZIPJOBS_SECRET_ACCESS_KEY: store.secretAccessKey,
    },
    inOwn: (...args) => [...args, '-n', own],
    newBucket: (name) => {
      const flags = ['--region', store.region, '--endpoint', store.endpoint];
      return ['bucket', 'create', name, '--no-test', ...flags, '-n', own];
    },
    kubectl: async (...args) => (await cluster.kubectl(['-n', own, ...args])).stdout,
    refused: async (who, args, { code, says, env = {} }) => {
      const result = await who.run(args, { env });
      if (typeof says === 'string') expect(result.stderr).to.contain(says);
      else expect(result.stderr).to.match(says);
      expect({ code: result.exitCode, stdout: result.stdout }).to.deep.equal({ code, stdout: '' });
    },
    expectNoSecretPrinted: () => {
      for (const { printed } of [owner, viewer, platform])
        for (const secret of [store.secretAccessKey, 'CANARY', '\u001b'])
          expect(printed).not.to.contain(secret);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The namespace contains a project, which its owner has created. */
export async function startOwnProject(own: string): Promise<CommandLineWorld> {
  await using started = new AsyncDisposableStack();
  const world = started.use(await startCommandLineWorld(own));
  await world.owner.succeed(['project', 'create', own]);
  started.move();
  return world;
}
