import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { RELEASE_NAMESPACE } from '../processes/installation.ts';
import { type PostgresProcess, SUPERUSER, startPostgresProcess } from '../servers/postgres-process.ts';
import { PRIVATE_TLS } from '../servers/private-tls.ts';
import { applyObjects } from './project.ts';
import { sharedCluster } from './shared-cluster.ts';
import { forgetInstallation } from './shared-installation.ts';

const SECRET = 'zipjobs-history';
const CONFIG_MAP = 'postgres-ca';
const ROLES = ['owner', 'writer', 'reader'] as const;
type Role = (typeof ROLES)[number];
const PASSWORDS = { owner: 'Owner-5ecret', writer: 'Writer-5ecret', reader: 'Reader-5ecret' } as const;
const DASHBOARD = { enabled: true, replicas: 1, allowHttp: true };

export type DatabaseClient = pg.Client & AsyncDisposable;

/** A PostgreSQL that an operator prepared, for the chart on the shared cluster. */
export interface HistoryInstallation extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly server: Pick<PostgresProcess, 'kill' | 'start' | 'freeze' | 'thaw'>;
  /** Values of the chart without a history, with a dashboard. */
  readonly without: Readonly<Record<string, unknown>>;
  /** The same with a history, over TLS with a private authority. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Writes the Secret with the passwords. `change` has other ones. */
  applySecret(change?: Partial<Record<Role, string>>): Promise<void>;
  openAs(role: Role | 'administrator'): Promise<DatabaseClient>;
}

/** The SQL of docs/history.md, with the passwords. */
function documentedSql(): readonly string[] {
  const text = readFileSync('docs/history.md', 'utf8');
  const [, sql = ''] = /<!-- begin sql.*?-->\n```sql\n(.*?)```/s.exec(text) ?? [];
  return ROLES.reduce((all, role) => all.replace(`${role.toUpperCase()}_PASSWORD`, PASSWORDS[role]), sql)
    .split(';\n')
    .filter((statement) => statement.trim() !== '');
}

function valuesFor(port: number): Readonly<Record<string, unknown>> {
  return {
    dashboard: DASHBOARD,
    history: {
      postgres: {
        host: '127.0.0.1',
        port,
        existingSecret: SECRET,
        tls: { caConfigMapKeyRef: { name: CONFIG_MAP } },
      },
      migration: { deadlineSeconds: 60 },
    },
    networkPolicies: {
      enabled: true,
      apiServerCidrs: ['127.0.0.1/32'],
      historyEgress: [{ to: [{ ipBlock: { cidr: '127.0.0.0/8' } }], ports: [{ protocol: 'TCP', port }] }],
    },
  };
}

/** Starts PostgreSQL and prepares it with the documented SQL. The caller installs the chart. */
export async function startHistoryInstallation(): Promise<HistoryInstallation> {
  await using started = new AsyncDisposableStack();
  const server = started.use(await startPostgresProcess());
  const { port } = server;
  const cluster = await sharedCluster();
  started.defer(forgetInstallation);

  async function open(database: string, account: { readonly user: string; readonly password: string }) {
    const client = new pg.Client({ host: '127.0.0.1', port, database, ssl: false, ...account });
    client.on('error', () => undefined);
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
  }
  {
    await using administrator = await open('postgres', SUPERUSER);
    for (const statement of documentedSql()) await administrator.query(statement);
  }
  function inRelease(kind: string, name: string, content: Readonly<Record<string, unknown>>) {
    return applyObjects(cluster, [
      { apiVersion: 'v1', kind, metadata: { name, namespace: RELEASE_NAMESPACE }, ...content },
    ]);
  }
  await applyObjects(cluster, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: RELEASE_NAMESPACE } },
  ]);
  started.defer(async () => {
    const objects = [`secret/${SECRET}`, `configmap/${CONFIG_MAP}`];
    await cluster.kubectl(['delete', '-n', RELEASE_NAMESPACE, '--ignore-not-found', ...objects]);
  });
  await inRelease('ConfigMap', CONFIG_MAP, { data: { 'ca.crt': PRIVATE_TLS.authority } });
  const resources = started.move();
  return {
    cluster,
    server,
    without: { dashboard: DASHBOARD },
    values: valuesFor(port),
    applySecret: (change = {}) =>
      inRelease('Secret', SECRET, {
        stringData: Object.fromEntries(
          ROLES.map((role) => [`${role}-password`, change[role] ?? PASSWORDS[role]]),
        ),
      }),
    openAs: (role) =>
      role === 'administrator'
        ? open('zipjobs', SUPERUSER)
        : open('zipjobs', { user: `zipjobs_${role}`, password: PASSWORDS[role] }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
