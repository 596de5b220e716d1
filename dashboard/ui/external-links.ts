import type { ConfigOf, Settings } from '#runtime/config/config.ts';
import { parseJson } from '#runtime/config/json-values.ts';
import { ConfigError } from '#runtime/errors.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';

export const EXTERNAL_LINK_SETTINGS = {
  dashboardLinksJson: {
    env: 'DASHBOARD_LINKS_JSON',
    type: 'string',
    default: '[]',
    description:
      'links to logs and metrics elsewhere: JSON array of {title, url}, with {namespace}, {name} (of the ZipJob) and {pod} in the path or query of the URL',
    changeWhen: 'set it when users copy names of jobs and pods into Loki, Grafana or Kibana',
  },
} as const satisfies Settings;

const { env: ENV } = EXTERNAL_LINK_SETTINGS.dashboardLinksJson;
const MOST_LINKS = 20;
const LONGEST_TITLE = 60;
const LONGEST_URL = 2_048;

/** What a URL may contain in braces. */
const PLACEHOLDERS = ['namespace', 'name', 'pod'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** A link to a system outside zipjobs, such as the logs of a pod in Loki. */
export interface ExternalLink {
  readonly title: string;
  /** With placeholders. */
  readonly url: string;
  readonly placeholders: readonly Placeholder[];
}

/** The values of the placeholders that a page knows. */
export type LinkValues = Readonly<Partial<Record<Placeholder, string | undefined>>>;

export interface ShownLink {
  readonly title: string;
  readonly href: string;
}

/** Other braces stay as they are, because queries of Loki and Grafana contain them. */
const IN_BRACES = /\{([A-Za-z]+)\}/g;

function isPlaceholder(name: string): name is Placeholder {
  return PLACEHOLDERS.some((placeholder) => placeholder === name);
}

function hrefOf(url: string, values: LinkValues): string {
  const replaced = url.replaceAll(IN_BRACES, (braces, name: string) =>
    isPlaceholder(name) ? encodeURIComponent(values[name] ?? '') : braces,
  );
  return new URL(replaced).href;
}

/** What is wrong with a URL; undefined if nothing is. */
function faultOf(url: string): string | undefined {
  if (url.length > LONGEST_URL) return `is longer than ${LONGEST_URL} characters`;
  if (!/^https?:\/\/[^/?#{}@\\\s]+([/?#]\S*)?$/.test(url) || !URL.canParse(url))
    return 'must be http:// or https://, a host without credentials and placeholders, and a path';
  const unknown = [...url.matchAll(IN_BRACES)].find(([, name = '']) => !isPlaceholder(name));
  return unknown && `contains ${unknown[0]}; the placeholders are {${PLACEHOLDERS.join('}, {')}}`;
}

function toLink(value: unknown, at: number): ExternalLink {
  const where = `${ENV}: link ${at + 1}`;
  if (!isRecord(value)) throw new ConfigError(`${where} must be an object {title, url}`);
  const { title, url, ...others } = value;
  if (typeof title !== 'string' || typeof url !== 'string' || Object.keys(others).length > 0)
    throw new ConfigError(`${where} must be an object {title, url} of texts`);
  if (title.trim() === '' || title.length > LONGEST_TITLE)
    throw new ConfigError(`${where}: the title must have 1 to ${LONGEST_TITLE} characters`);
  const fault = faultOf(url);
  if (fault !== undefined) throw new ConfigError(`${where} (${title}): the URL ${fault}`);
  const placeholders = PLACEHOLDERS.filter((name) => url.includes(`{${name}}`));
  return { title, url, placeholders };
}

/** @throws ConfigError unless the setting is a JSON array of links. No message contains a URL, which may have a secret. */
export function readExternalLinks({
  dashboardLinksJson,
}: ConfigOf<typeof EXTERNAL_LINK_SETTINGS>): readonly ExternalLink[] {
  const value = parseJson(ENV, dashboardLinksJson);
  if (!Array.isArray(value) || value.length > MOST_LINKS)
    throw new ConfigError(`${ENV} must be a JSON array of at most ${MOST_LINKS} objects {title, url}`);
  return value.map(toLink);
}

function isOfJob({ placeholders }: ExternalLink): boolean {
  return placeholders.some((name) => name !== 'namespace');
}

/** The links of a project: those that name no job. */
export function linksOfProject(links: readonly ExternalLink[], namespace: string): readonly ShownLink[] {
  return links
    .filter((link) => !isOfJob(link))
    .map(({ title, url }) => ({ title, href: hrefOf(url, { namespace }) }));
}

/** The links that name a job or its pod, except those with a value that the job does not have yet. */
export function linksOfJob(links: readonly ExternalLink[], values: LinkValues): readonly ShownLink[] {
  return links
    .filter((link) => isOfJob(link) && link.placeholders.every((name) => values[name] !== undefined))
    .map(({ title, url }) => ({ title, href: hrefOf(url, values) }));
}
