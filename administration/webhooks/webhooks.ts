import { ANNOTATIONS, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';
import { webhookHost, type ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { changeSpec, checkVersion, versionOf } from '../changes/change-spec.ts';
import { runCommand, sendCommand } from '../changes/controller-command.ts';
import { requiredProject } from '../changes/required-project.ts';
import type { WaitOptions } from '../changes/wait-for.ts';
import { AdministrationError, hasCode, invalidInput } from '../errors/administration-error.ts';
import {
  findSavedByForm,
  type RotatedSecret,
  type Rotation,
  readWebhookSecret,
  rotateSigningSecret,
  rotationVersion,
  type SecretsOfWebhook,
  saveWebhookSecret,
} from './signing-secret.ts';
import { toWebhook, type Webhook } from './webhook-view.ts';

export interface WebhooksOptions {
  readonly projects: Pick<ObjectClient<ZipProject>, 'get' | 'mergePatch'>;
  readonly secrets: SecretsOfWebhook;
  readonly clock: Clock;
}

export interface WebhookSettings {
  /** Written into the Secret, because it is a credential for many receivers. Default: the current URL. */
  readonly url?: string | undefined;
  /** Default: the current events, or all. */
  readonly events?: readonly string[] | undefined;
  /** The `version` that the user has seen. Default: what someone else saved meanwhile may be replaced. */
  readonly version?: string;
  /** UUID of a form. Sent twice, it saves once, and both responses have the secret that it created. */
  readonly form?: string;
}

export interface SetWebhook {
  readonly webhook: Webhook;
  /** The new secret, shown only once. Undefined if the project already had one that another form created. */
  readonly secret: string | undefined;
}

export interface ShownWebhook {
  readonly webhook: Webhook;
  /** Of its settings. */
  readonly version: string;
  readonly hasSecret: boolean | undefined;
}

/** The webhook of one project. */
export interface Webhooks {
  /** `hasSecret` is undefined if the user lacks permission. @throws AdministrationError NotFound */
  show(): Promise<ShownWebhook>;
  /** @throws AdministrationError InvalidInput, NotFound; Conflict if the settings have another version */
  set(settings: WebhookSettings): Promise<SetWebhook>;
  /** Identifies the last rotation of the signing secret. */
  secretVersion(): Promise<string>;
  /** @throws AdministrationError InvalidInput, NotFound, Conflict */
  rotateSecret(rotation: Rotation): Promise<RotatedSecret>;
  /** New jobs send no events. The secret is kept for pending events unless `withSecret` is set. */
  remove(options: { readonly withSecret: boolean }): Promise<Webhook>;
  /** Sends an event of type TEST and waits for the response. @throws AdministrationError NotFound, TimedOut */
  test(wait: WaitOptions): Promise<Webhook>;
  /** Sends a test event without waiting: `testPending` of the webhook is true until the response arrives. @throws AdministrationError NotFound */
  beginTest(): Promise<void>;
  /** Enables the webhook, including an endpoint that was disabled after failures. @throws AdministrationError NotFound, TimedOut */
  enable(wait: WaitOptions): Promise<Webhook>;
  /** Disables the webhook and keeps its settings. @throws AdministrationError NotFound */
  disable(): Promise<Webhook>;
}

const MAX_URL = 2_048;
const MAX_OVERLAP_SECONDS = 30 * 86_400;

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

async function required(options: WebhooksOptions, namespace: string): Promise<ZipProject> {
  const project = await requiredProject(options.projects, namespace);
  if (project.spec.webhook) return project;
  throw new AdministrationError(`No webhook found in project "${namespace}"`, {
    code: 'NotFound',
    commandHint: `Set one with: zipjobs webhook update URL -n ${namespace}`,
  });
}

async function change(
  { projects }: WebhooksOptions,
  namespace: string,
  webhook: Readonly<Record<string, unknown>> | null,
): Promise<ZipProject> {
  return projects.mergePatch({ namespace, name: PROJECT_NAME }, { spec: { webhook } });
}

/** Identifies what `set` changes. The URL is a credential; each change of it also enables the webhook. */
function webhookVersion(project: ZipProject): string {
  const { isSet, events } = toWebhook(project);
  return versionOf([isSet, events, project.metadata.annotations?.[ANNOTATIONS.enableWebhook]]);
}

/** Events in another order are the same, and so are all events and none that are named. */
function hasEvents(project: ZipProject, events: readonly WebhookEvent[] | undefined): boolean {
  const current = toWebhook(project).events;
  return (
    events === undefined ||
    (events.length === current.length && current.every((event) => events.includes(event)))
  );
}

async function setOnce(
  options: WebhooksOptions,
  namespace: string,
  settings: WebhookSettings,
): Promise<SetWebhook> {
  if (settings.url !== undefined) checkUrl(settings.url);
  const events = settings.events && checkEvents(settings.events);
  const project = await requiredProject(options.projects, namespace);
  const { url, version, form } = settings;
  function check(current: ZipProject): void {
    if (version !== undefined) checkVersion(webhookVersion(current), version);
    if (url === undefined && current.spec.webhook === undefined)
      throw invalidInput('url', 'Missing webhook URL: set the URL of the receiver');
  }
  check(project);
  // Write the Secret first: events cannot be sent without it.
  const secret = await saveWebhookSecret(options.secrets, project, { url, form });
  const changed = await changeSpec(options.projects, {
    read: () => requiredProject(options.projects, namespace),
    change: (current) => {
      check(current);
      const { webhook = {} } = current.spec;
      const place = url === undefined ? {} : { url: undefined };
      return {
        ...current.spec,
        webhook: defined({
          ...webhook,
          ...place,
          events: hasEvents(current, events) ? webhook.events : events,
        }),
      };
    },
  });
  const webhook = toWebhook(changed);
  if (url === undefined) return { webhook, secret };
  // The state of the previous URL does not apply to this one. The controller cannot see that the Secret has changed.
  await sendCommand(options.projects, {
    target: { namespace, name: PROJECT_NAME },
    annotation: ANNOTATIONS.enableWebhook,
  });
  return { webhook: { ...webhook, host: webhookHost(url) ?? null }, secret };
}

/** What the form has saved, if it was sent twice. */
async function savedBefore(
  { projects, secrets }: WebhooksOptions,
  namespace: string,
  { url, events, form }: WebhookSettings,
): Promise<SetWebhook | undefined> {
  if (form === undefined) return undefined;
  const project = await requiredProject(projects, namespace);
  if (project.spec.webhook === undefined || !hasEvents(project, events && checkEvents(events)))
    return undefined;
  const saved = await findSavedByForm(secrets, namespace, { url, form });
  return saved && { webhook: toWebhook(project), secret: saved.secret };
}

async function set(
  options: WebhooksOptions,
  namespace: string,
  settings: WebhookSettings,
): Promise<SetWebhook> {
  try {
    return await setOnce(options, namespace, settings);
  } catch (error) {
    const saved = hasCode(error, 'Conflict') ? await savedBefore(options, namespace, settings) : undefined;
    if (saved === undefined) throw error;
    return saved;
  }
}

/** The status has the host of the last delivery, which may have been to another URL. */
function withHost(webhook: Webhook, host: string | undefined): Webhook {
  return webhook.urlIsIn === 'Secret' && host !== undefined ? { ...webhook, host } : webhook;
}

async function show({ projects, secrets }: WebhooksOptions, namespace: string): Promise<ShownWebhook> {
  const project = await requiredProject(projects, namespace);
  const { hasSecret, host } = await readWebhookSecret(secrets, namespace);
  return { webhook: withHost(toWebhook(project), host), version: webhookVersion(project), hasSecret };
}

/** After a change: it is done, whether or not the host can be read. */
async function shown({ secrets }: WebhooksOptions, project: ZipProject): Promise<Webhook> {
  const known = await readWebhookSecret(secrets, project.metadata.namespace).catch(() => undefined);
  return withHost(toWebhook(project), known?.host);
}

async function rotate(
  options: WebhooksOptions,
  namespace: string,
  rotation: Rotation,
): Promise<RotatedSecret> {
  const { overlapSeconds: seconds } = rotation;
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_OVERLAP_SECONDS)
    throw invalidInput(
      'overlapSeconds',
      `Invalid overlap. Use 0 to ${MAX_OVERLAP_SECONDS} whole seconds (30 days)`,
    );
  await requiredProject(options.projects, namespace);
  return rotateSigningSecret(options, namespace, rotation);
}

async function enable(options: WebhooksOptions, namespace: string, wait: WaitOptions): Promise<Webhook> {
  const { spec } = await required(options, namespace);
  if (spec.webhook?.enabled === false) await change(options, namespace, { enabled: true });
  const command = {
    target: { namespace, name: PROJECT_NAME },
    annotation: ANNOTATIONS.enableWebhook,
    what: 'Enabling the webhook',
    isAcknowledged: ({ status }: ZipProject, nonce: string) => status?.webhook?.enabledNonce === nonce,
  };
  return shown(options, await runCommand(options.projects, command, { ...wait, clock: options.clock }));
}

async function test(options: WebhooksOptions, namespace: string, wait: WaitOptions): Promise<Webhook> {
  await required(options, namespace);
  const command = {
    target: { namespace, name: PROJECT_NAME },
    annotation: ANNOTATIONS.testWebhook,
    what: 'Test of the webhook',
    isAcknowledged: ({ status }: ZipProject, nonce: string) => status?.webhook?.test?.nonce === nonce,
  };
  return shown(options, await runCommand(options.projects, command, { ...wait, clock: options.clock }));
}

export function createWebhooks(options: WebhooksOptions, namespace: string): Webhooks {
  return {
    show: () => show(options, namespace),
    set: (settings) => set(options, namespace, settings),
    secretVersion: async () => rotationVersion(await options.secrets.get(namespace, WEBHOOK_SECRET_NAME)),
    rotateSecret: (rotation) => rotate(options, namespace, rotation),
    remove: async ({ withSecret }) => {
      await required(options, namespace);
      const webhook = toWebhook(await change(options, namespace, null));
      if (withSecret) await options.secrets.delete(namespace, WEBHOOK_SECRET_NAME);
      return webhook;
    },
    test: (wait) => test(options, namespace, wait),
    beginTest: async () => {
      await required(options, namespace);
      await sendCommand(options.projects, {
        target: { namespace, name: PROJECT_NAME },
        annotation: ANNOTATIONS.testWebhook,
      });
    },
    enable: (wait) => enable(options, namespace, wait),
    disable: async () => {
      await required(options, namespace);
      return shown(options, await change(options, namespace, { enabled: false }));
    },
  };
}
