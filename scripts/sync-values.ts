/**
 * Writes the generated parts of the chart: the settings of the processes in values.schema.json, and the tables in
 * README.md. Run it after you change a config.ts or values.yaml; a test compares the result.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isScalar, type Pair, parseDocument } from 'yaml';
import { API_SETTINGS } from '#api/config.ts';
import { CONTROLLER_SETTINGS } from '#controller/config.ts';
import { DASHBOARD_SETTINGS } from '#dashboard/config.ts';
import type { Setting, Settings } from '#runtime/config.ts';
import { ZIPPER_SETTINGS } from '#zipper-image/config.ts';

const CHART = join(import.meta.dirname, '../charts/zipjobs');
const SCHEMA = join(CHART, 'values.schema.json');
const README = join(CHART, 'README.md');
const VALUES = join(CHART, 'values.yaml');

export const PROCESSES: Readonly<Record<'api' | 'dashboard' | 'controller' | 'zipper', Settings>> = {
  api: API_SETTINGS,
  dashboard: DASHBOARD_SETTINGS,
  controller: CONTROLLER_SETTINGS,
  zipper: ZIPPER_SETTINGS,
};

/** Settings that templates, the controller or the kubelet set, so that `settings` cannot. */
export const CHART_SETTINGS: ReadonlySet<string> = new Set(
  `HOST PORT ADMIN_PORT LOG_LEVEL TRUSTED_PROXIES BASE_PATH INSTANCE LEASE_NAME POD_NAME POD_NAMESPACE POD_UID SERVICE_ACCOUNT_DIR
  DASHBOARD_URL DASHBOARD_ALLOW_HTTP DASHBOARD_OIDC_ISSUER DASHBOARD_OIDC_CLIENT_ID
  DASHBOARD_OIDC_CLIENT_SECRET_FILE DASHBOARD_OIDC_SCOPES DASHBOARD_OIDC_CA_FILE
  REDIS_URL REDIS_USERNAME REDIS_PASSWORD REDIS_CA_FILE
  KUBECONFIG KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT EGRESS_ALLOW_CIDRS EGRESS_DENY_CIDRS
  EGRESS_CLUSTER_CIDRS EGRESS_SERVICE_CIDRS EGRESS_API_SERVER_ADDRESSES EGRESS_NAT64_PREFIX WEBHOOK_ALLOW_HTTP NETWORK_POLICIES API_SERVER_CIDRS API_SERVER_PORTS
  STORE_ALLOWED_HOSTS STORE_ALLOW_HTTP STORE_ALLOW_CIDRS ZIPPER_IMAGE ZIPPER_IMAGE_PULL_POLICY ZIPPER_IMAGE_PULL_SECRETS ZIPPER_ENV_JSON
  RECOVERY_RESOURCES_JSON RECOVERY_PRIORITY_CLASS_NAME
  ZIPPER_RESOURCES_JSON ZIPPER_POD_JSON ZIPPER_PRIORITY_CLASS_NAME ZIPPER_GRACE_SECONDS
  PROJECT_CLASSES_JSON TASK_FILE BUCKET_DIR FILES_DIR TRACEPARENT
  TRUST_BUNDLE TRUST_BUNDLE_FILE PROXY_CIDRS ZIPPER_PROXY_SECRETS_JSON
  SOURCE_PROXY_URL SOURCE_NO_PROXY SOURCE_PROXY_USERNAME SOURCE_PROXY_PASSWORD
  STORE_PROXY_URL STORE_NO_PROXY STORE_PROXY_USERNAME STORE_PROXY_PASSWORD
  WEBHOOK_PROXY_URL WEBHOOK_NO_PROXY WEBHOOK_PROXY_USERNAME WEBHOOK_PROXY_PASSWORD`.split(/\s+/),
);

/** The settings that `<process>.settings` may contain, by name. */
const freeSettings = (settings: Settings): readonly Setting[] =>
  Object.values(settings)
    .filter(({ env }) => !CHART_SETTINGS.has(env))
    .sort((a, b) => a.env.localeCompare(b.env));

const schemaOf = ({ env: _env, secret: _secret, default: _default, ...setting }: Setting): unknown =>
  setting.type === 'array' ? { ...setting, items: { type: 'string', minLength: 1 } } : setting;

interface ValuesSchema {
  definitions: Record<string, { properties: Record<string, unknown> }>;
}

/** values.schema.json with the current settings of the processes. */
export const withSettings = (schema: ValuesSchema): ValuesSchema => {
  const definitions = { ...schema.definitions };
  for (const [process, settings] of Object.entries(PROCESSES)) {
    const properties = Object.fromEntries(freeSettings(settings).map((one) => [one.env, schemaOf(one)]));
    definitions[`${process}Settings`] = { ...definitions[`${process}Settings`], properties };
  }
  return { ...schema, definitions };
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const settingsTable = (settings: Settings): string =>
  table(
    ['Setting', 'Default', 'Description'],
    freeSettings(settings).map((one) => [
      `\`${one.env}\``,
      `\`${JSON.stringify(one.default ?? '')}\``,
      one.description,
    ]),
  );

type Row = readonly [path: string, value: string, comment: string];

/** Maps that users set as one value. */
const isLeaf = (path: string, pair: Pair): boolean =>
  !isMap(pair.value) || pair.value.items.length === 0 || /\.(resources|\w+SecurityContext)$/.test(path);

/** The parser joins the comment of the file with the comment of its first key. */
const lastParagraph = (comment: string): string => comment.split(/\n\s*\n/).at(-1) ?? '';

const rowsOf = (pairs: readonly Pair[], parent: string, first = ''): Row[] =>
  pairs.flatMap((pair, index) => {
    if (!isScalar(pair.key)) throw new Error(`values.yaml: a key under '${parent}' is no text`);
    const path = parent === '' ? String(pair.key.value) : `${parent}.${String(pair.key.value)}`;
    // The parser attaches the comment before the first key of a map to the map.
    const comment = pair.key.commentBefore ?? (index === 0 ? first : '');
    if (!isLeaf(path, pair) && isMap(pair.value))
      return rowsOf(pair.value.items, path, pair.value.commentBefore ?? '');
    if (comment === '') throw new Error(`values.yaml: ${path} has no comment`);
    return [[path, JSON.stringify(pair.value), lastParagraph(comment)]];
  });

const valuesTable = async (): Promise<string> => {
  const { contents } = parseDocument(await readFile(VALUES, 'utf8'));
  if (!isMap(contents)) throw new Error('values.yaml is no map');
  const rows = rowsOf(contents.items as Pair[], '');
  return table(
    ['Value', 'Default', 'Description'],
    rows.map(([path, value, comment]) => [`\`${path}\``, `\`${value}\``, comment]),
  );
};

const replaceBlock = (text: string, name: string, block: string): string => {
  const [start, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  if (!text.includes(start) || !text.includes(end)) throw new Error(`README.md has no block '${name}'`);
  const [before = ''] = text.split(start);
  const after = text.slice(text.indexOf(end));
  return `${before}${start}\n${block}\n${after}`;
};

/** README.md with the current tables. */
export const withTables = async (readme: string): Promise<string> => {
  let text = replaceBlock(readme, 'values', await valuesTable());
  for (const [process, settings] of Object.entries(PROCESSES))
    text = replaceBlock(text, `${process} settings`, settingsTable(settings));
  return text;
};

export const readChartFile = async (name: 'schema' | 'readme'): Promise<string> =>
  readFile(name === 'schema' ? SCHEMA : README, 'utf8');

if (import.meta.main) {
  const schema = JSON.parse(await readChartFile('schema')) as ValuesSchema;
  await writeFile(SCHEMA, `${JSON.stringify(withSettings(schema), null, 2)}\n`);
  await writeFile(README, await withTables(await readChartFile('readme')));
}
