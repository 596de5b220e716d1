import { hasCode } from '#administration/errors/administration-error.ts';
import { explainKubeError } from '#administration/errors/explain-kube-error.ts';
import { LABELS } from '#crds/api-group.ts';
import { defined } from '#runtime/collections/optional.ts';
import { toError } from '#runtime/errors.ts';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import { textAt } from '#runtime/kube/fields.ts';
import type { Command, CommandGroup } from './command.ts';
import { exitCodeOf } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { SYSTEM_NAMESPACE } from './options.ts';
import type { Session } from './session.ts';
import { toFields } from './table.ts';

interface VersionArguments extends GlobalArguments {
  readonly systemNamespace: string | undefined;
}

const OF_RELEASE = `${LABELS.partOf}=zipjobs`;
const VERSION_LABEL = 'app.kubernetes.io/version';
const COMPONENTS = ['controller', 'api', 'dashboard'] as const;

const DEPLOYMENTS = {
  apiVersion: 'apps/v1',
  plural: 'deployments',
  kind: 'Deployment',
  scope: 'Namespaced',
} as const;
const CRDS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  scope: 'Cluster',
} as const;

/** The versions that objects of one kind have; several during an upgrade, and with several releases. */
interface Versions {
  readonly controller: readonly string[];
  readonly api: readonly string[];
  readonly dashboard: readonly string[];
  readonly crds: readonly string[];
  /** Why some of them are not known. */
  readonly problems: readonly Error[];
}

const NONE: Versions = { controller: [], api: [], dashboard: [], crds: [], problems: [] };

async function labelsOf(
  { kube, signal }: Session,
  definition: typeof DEPLOYMENTS | typeof CRDS,
  namespace: string | undefined,
): Promise<readonly unknown[]> {
  const labels: unknown[] = [];
  const options = { labelSelector: OF_RELEASE, metadataOnly: true, signal, ...defined({ namespace }) };
  for await (const { items } of listPages(kube, definition, { pageSize: 500, ...options }))
    labels.push(...items);
  return labels;
}

function versionsIn(items: readonly unknown[], component?: string): readonly string[] {
  const found = items
    .filter(
      (item) => component === undefined || textAt(item, 'metadata', 'labels', LABELS.component) === component,
    )
    .map((item) => textAt(item, 'metadata', 'labels', VERSION_LABEL));
  return [...new Set(found.filter((version) => version !== ''))].toSorted();
}

/** @throws AdministrationError, except for a missing permission */
async function unlessForbidden<T>(
  attempt: Parameters<typeof explainKubeError>[0],
  task: Promise<T>,
): Promise<{ readonly found?: T; readonly problems: readonly Error[] }> {
  try {
    return { found: await task, problems: [] };
  } catch (thrown) {
    const error = explainKubeError(attempt, thrown);
    if (!hasCode(error, 'Forbidden')) throw error;
    return { problems: [toError(error)] };
  }
}

async function versionsOf(
  { systemNamespace: namespace }: VersionArguments,
  session: Session,
): Promise<Versions> {
  const [deployments, crds] = [
    await unlessForbidden(
      { verb: 'list', resource: 'deployments.apps', ...defined({ namespace }) },
      labelsOf(session, DEPLOYMENTS, namespace),
    ),
    await unlessForbidden(
      { verb: 'list', resource: 'customresourcedefinitions.apiextensions.k8s.io' },
      labelsOf(session, CRDS, undefined),
    ),
  ];
  const [controller = [], api = [], dashboard = []] = COMPONENTS.map((component) =>
    versionsIn(deployments.found ?? [], component),
  );
  return {
    controller,
    api,
    dashboard,
    crds: versionsIn(crds.found ?? []),
    problems: [...deployments.problems, ...crds.problems],
  };
}

function numbersOf(version: string): readonly number[] {
  return version.split(/[-+]/, 1)[0]?.split('.').map(Number) ?? [];
}

/** Negative if the first is older; the words after a hyphen do not count. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const index = left.findIndex((number, at) => number !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

/** What to do about versions that differ. */
function differences(cli: string, { controller, api, dashboard, crds }: Versions): readonly string[] {
  const ofRelease = [...new Set([...controller, ...api, ...dashboard])];
  const newer = ofRelease.find((version) => compareVersions(cli, version) < 0);
  const older = ofRelease.find((version) => compareVersions(cli, version) > 0);
  const stale = crds.find((version) => ofRelease.some((one) => compareVersions(version, one) < 0));
  return [
    ...(newer === undefined
      ? []
      : [
          `This command line (${cli}) is older than the release (${newer}). Use the one of version ${newer}, because it may not know all options and states`,
        ]),
    ...(older === undefined
      ? []
      : [
          `This command line (${cli}) is newer than the release (${older}). Upgrade the release, or use the command line of version ${older}`,
        ]),
    ...(stale === undefined
      ? []
      : [
          `The CRDs (${stale}) are older than the release, so they drop fields that it uses. Apply those of the release, see docs/upgrade.md`,
        ]),
  ];
}

function shown(versions: readonly string[]): string | null {
  return versions.length === 0 ? null : versions.join(', ');
}

function showVersions(cli: string): Command<VersionArguments> {
  return async (args, session) => {
    const found = await versionsOf(args, session).catch((thrown: unknown) => {
      session.signal.throwIfAborted();
      return { ...NONE, failure: toError(thrown) };
    });
    const { problems, ...versions } = found;
    const failure = 'failure' in found ? found.failure : undefined;
    const isMissing = failure === undefined && problems.length === 0 && versions.controller.length === 0;
    return {
      value: {
        cli,
        controller: versions.controller,
        api: versions.api,
        dashboard: versions.dashboard,
        crds: versions.crds,
      },
      text: toFields([
        ['Command line', cli],
        ['Controller', shown(versions.controller)],
        ['API', shown(versions.api)],
        ['Dashboard', shown(versions.dashboard)],
        ['CRDs', shown(versions.crds)],
      ]),
      notes: [
        ...differences(cli, found),
        ...problems.map(({ message }) => message),
        ...(isMissing ? ['No release of zipjobs found. Set its namespace with --system-namespace'] : []),
        ...(failure === undefined ? [] : [failure.message]),
      ],
      exitCode: failure === undefined ? 0 : exitCodeOf(failure),
    };
  };
}

/** Adds the version command; `version` is that of the command line. */
export function createVersionCommand(version: string): CommandGroup {
  return (parser, run) =>
    parser.command(
      'version',
      'Show the versions of the command line, the release and the CRDs',
      (args) => args.hide('namespace').hide('n').options(SYSTEM_NAMESPACE),
      run(showVersions(version)),
    );
}
