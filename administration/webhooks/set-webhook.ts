import { randomUUID } from 'node:crypto';
import { ANNOTATIONS, PROJECT_NAME } from '#crds/api-group.ts';
import {
  DEFAULT_ENDPOINT,
  endpointAnnotation,
  findEndpoint,
  MAX_ENDPOINTS,
} from '#crds/webhook-endpoints.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';
import { webhookHost, type ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { changeSpec, checkVersion, versionOf } from '../changes/change-spec.ts';
import { sendCommand } from '../changes/controller-command.ts';
import { requiredProject } from '../changes/required-project.ts';
import { AdministrationError, hasCode, invalidInput } from '../errors/administration-error.ts';
import type { EndpointPlace } from './endpoint-place.ts';
import {
  adderOf,
  noEndpoint,
  specOf,
  type WebhooksOptions,
  withAdder,
  withEndpoint,
  withoutAdder,
  withoutName,
} from './project-endpoint.ts';
import { deleteEndpointSecret, findSavedByForm, isOfProject, saveWebhookSecret } from './signing-secret.ts';
import { toWebhook, type Webhook } from './webhook-view.ts';

export interface WebhookSettings {
  /** Written into the Secret, because it is a credential for many receivers. Default: the current URL. */
  readonly url?: string | undefined;
  /** Default: the current events, or all. */
  readonly events?: readonly string[] | undefined;
  /** The `version` that the user has seen. Default: what someone else saved meanwhile may be replaced. */
  readonly version?: string;
  /** UUID of a form. Sent twice, it saves once, and both responses have the secret that it created. */
  readonly form?: string;
  /** Adds the endpoint, and never changes one that exists. Default: false. */
  readonly isNew?: boolean;
}

export interface SetWebhook {
  readonly webhook: Webhook;
  /** The new secret, shown only once. Undefined if the project already had one that another form created. */
  readonly secret: string | undefined;
}

const MAX_URL = 2_048;

function checkUrl(text: string): void {
  const url = URL.parse(text);
  if ((url?.protocol !== 'https:' && url?.protocol !== 'http:') || text.length > MAX_URL)
    throw invalidInput(
      'url',
      `Invalid webhook URL. Use a URL that starts with https:// and has at most ${MAX_URL} characters`,
    );
  if (url.username !== '' || url.password !== '')
    throw invalidInput(
      'url',
      'Invalid webhook URL: remove the user name and password. Receivers authenticate events by their signature',
    );
}

function isEvent(text: string): text is WebhookEvent {
  return WEBHOOK_EVENTS.some((event) => event === text);
}

function checkEvents(given: readonly string[]): readonly WebhookEvent[] {
  const events = [...new Set(given)].filter(isEvent);
  if (events.length === 0 || events.length < new Set(given).size)
    throw invalidInput('events', `Invalid webhook events. Use one or more of: ${WEBHOOK_EVENTS.join(', ')}`);
  return events;
}

/** Identifies what `set` changes. The URL is a credential; each change of it also enables the endpoint. */
export function webhookVersion(project: ZipProject, { endpoint }: EndpointPlace): string {
  const { isSet, events } = toWebhook(project, endpoint);
  const annotation = endpointAnnotation(ANNOTATIONS.enableWebhook, endpoint);
  return versionOf([isSet, events, project.metadata.annotations?.[annotation]]);
}

/** As in the schema. */
const MAX_NAME = 32;
const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** @throws AdministrationError InvalidInput for an endpoint that the project can neither have nor get */
function checkName({ spec: { webhook } }: ZipProject, { namespace, endpoint }: EndpointPlace): void {
  if (endpoint === DEFAULT_ENDPOINT || findEndpoint(webhook, endpoint)) return;
  if (!NAME.test(endpoint) || endpoint.length > MAX_NAME)
    throw invalidInput(
      'endpoint',
      `Invalid name of an endpoint. Use at most ${MAX_NAME} lowercase letters, digits and hyphens, starting and ending with a letter or digit`,
    );
  if (webhook === undefined)
    throw new AdministrationError(
      `Project "${namespace}" has no webhook yet: its first endpoint is named ${DEFAULT_ENDPOINT}`,
      { code: 'InvalidInput', commandHint: `Set it first: zipjobs webhook update URL -n ${namespace}` },
    );
  if ((webhook.endpoints ?? []).length + 1 >= MAX_ENDPOINTS)
    throw new AdministrationError(
      `Project "${namespace}" has ${MAX_ENDPOINTS} webhook endpoints already, which is the maximum`,
      {
        code: 'InvalidInput',
        commandHint: `Delete one first: zipjobs webhook delete --endpoint NAME -n ${namespace}`,
      },
    );
}

function checkIsNew(project: ZipProject, place: EndpointPlace): void {
  if (specOf(project, place) === undefined) return;
  throw new AdministrationError(
    `Project "${place.namespace}" has an endpoint "${place.endpoint}" already. Use another name, or change that endpoint`,
    { code: 'AlreadyExists', field: 'endpoint' },
  );
}

/** Events in another order are the same, and so are all events and none that are named. */
function hasEvents(
  project: ZipProject,
  { endpoint }: EndpointPlace,
  events: readonly WebhookEvent[] | undefined,
): boolean {
  const current = toWebhook(project, endpoint).events;
  return (
    events === undefined ||
    (events.length === current.length && current.every((event) => events.includes(event)))
  );
}

/** Throws if the project, as it is now, cannot have the settings. */
type Check = (current: ZipProject) => void;

function checkOf(
  place: EndpointPlace,
  { url, version, form, isNew = false }: WebhookSettings & { readonly form: string },
): Check {
  return (current) => {
    checkName(current, place);
    const isOwn = adderOf(current, place) === form;
    if (isNew && !isOwn) checkIsNew(current, place);
    if (version !== undefined && !isOwn) checkVersion(webhookVersion(current, place), version);
    if (url === undefined && (isNew || specOf(current, place) === undefined))
      throw invalidInput('url', 'Missing webhook URL: set the URL of the receiver');
  };
}

interface Addition {
  readonly check: Check;
  readonly events: readonly WebhookEvent[] | undefined;
  readonly form: string;
}

/**
 * Adds an endpoint that sends nothing yet. Of several users who add one with the same name, only one can: the others have changed
 * nothing. Keys that a removal with kubectl or GitOps left in the Secret are deleted before.
 */
async function addDisabled(
  { projects, secrets }: WebhooksOptions,
  place: EndpointPlace,
  { check, events, form }: Addition,
): Promise<void> {
  const { namespace, endpoint } = place;
  function read(): Promise<ZipProject> {
    return requiredProject(projects, namespace);
  }
  await deleteEndpointSecret(secrets, place, async (existing) => {
    const current = await read();
    return isOfProject(existing, current) && specOf(current, place) === undefined;
  });
  await changeSpec(projects, {
    read,
    change: (current) => {
      check(current);
      if (specOf(current, place)) return current.spec;
      const webhook = withEndpoint(current.spec.webhook, endpoint, {
        enabled: false,
        ...defined({ events }),
      });
      return { ...current.spec, ...defined({ webhook }) };
    },
    annotationsFor: (spec) => spec && withAdder(place, form),
  });
}

async function setOnce(
  options: WebhooksOptions,
  place: EndpointPlace,
  settings: WebhookSettings,
): Promise<SetWebhook> {
  if (settings.url !== undefined) checkUrl(settings.url);
  const events = settings.events && checkEvents(settings.events);
  const { namespace, endpoint } = place;
  const project = await requiredProject(options.projects, namespace);
  const { url, form = randomUUID() } = settings;
  const check = checkOf(place, { ...settings, form });
  check(project);
  // The name of the endpoint decides which keys the Secret has, so nobody else may get it meanwhile.
  if (endpoint !== DEFAULT_ENDPOINT && !specOf(project, place))
    await addDisabled(options, place, { check, events, form });
  // Write the Secret before the endpoint is enabled: events cannot be sent without it.
  const secret = await saveWebhookSecret(options.secrets, project, { endpoint, url, form });
  const changed = await changeSpec(options.projects, {
    read: () => requiredProject(options.projects, namespace),
    change: (current) => {
      check(current);
      const before = specOf(current, place);
      if (!before && endpoint !== DEFAULT_ENDPOINT) throw noEndpoint(place);
      const after = defined({
        ...withoutName(before ?? {}),
        ...(url !== undefined && { url: undefined }),
        ...(url !== undefined && adderOf(current, place) !== undefined && { enabled: undefined }),
        events: hasEvents(current, place, events) ? before?.events : events,
      });
      return {
        ...current.spec,
        ...defined({ webhook: withEndpoint(current.spec.webhook, endpoint, after) }),
      };
    },
    annotationsFor: (_spec, current) => (url === undefined ? undefined : withoutAdder(current, place)),
  });
  const webhook = toWebhook(changed, endpoint);
  if (url === undefined) return { webhook, secret };
  // The state of the previous URL does not apply to this one. The controller cannot see that the Secret has changed.
  await sendCommand(options.projects, {
    target: { namespace, name: PROJECT_NAME },
    annotation: endpointAnnotation(ANNOTATIONS.enableWebhook, endpoint),
  });
  return { webhook: { ...webhook, host: webhookHost(url) ?? null }, secret };
}

/** What the form has saved, if it was sent twice. An endpoint that it was to add is its own only with a secret that it created. */
async function savedBefore(
  { projects, secrets }: WebhooksOptions,
  place: EndpointPlace,
  { url, events, form, isNew = false }: WebhookSettings,
): Promise<SetWebhook | undefined> {
  if (form === undefined) return undefined;
  const { namespace, endpoint } = place;
  const project = await requiredProject(projects, namespace);
  if (!specOf(project, place) || !hasEvents(project, place, events && checkEvents(events))) return undefined;
  const saved = await findSavedByForm(secrets, namespace, { endpoint, url, form });
  if (saved === undefined || (isNew && saved.secret === undefined)) return undefined;
  return { webhook: toWebhook(project, endpoint), secret: saved.secret };
}

export async function setWebhook(
  options: WebhooksOptions,
  place: EndpointPlace,
  settings: WebhookSettings,
): Promise<SetWebhook> {
  try {
    return await setOnce(options, place, settings);
  } catch (error) {
    const isTaken = hasCode(error, 'Conflict') || hasCode(error, 'AlreadyExists');
    const saved = isTaken ? await savedBefore(options, place, settings) : undefined;
    if (saved === undefined) throw error;
    return saved;
  }
}
