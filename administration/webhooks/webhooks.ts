import { ANNOTATIONS, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { DEFAULT_ENDPOINT, endpointAnnotation, findEndpoint } from '#crds/webhook-endpoints.ts';
import type { EndpointState, ProjectEndpoint, ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { changeSpec } from '../changes/change-spec.ts';
import { type AwaitedCommand, runCommand, sendCommand } from '../changes/controller-command.ts';
import { requiredProject } from '../changes/required-project.ts';
import type { WaitOptions } from '../changes/wait-for.ts';
import { AdministrationError, invalidInput } from '../errors/administration-error.ts';
import type { EndpointPlace } from './endpoint-place.ts';
import {
  noEndpoint,
  specOf,
  type WebhooksOptions,
  withEndpoint,
  withoutAdder,
  withoutName,
} from './project-endpoint.ts';
import { type SetWebhook, setWebhook, type WebhookSettings, webhookVersion } from './set-webhook.ts';
import {
  deleteEndpointSecret,
  type RotatedSecret,
  type Rotation,
  readWebhookSecret,
  rotateSigningSecret,
  rotationVersion,
} from './signing-secret.ts';
import { toWebhook, toWebhooks, type Webhook } from './webhook-view.ts';

export interface ShownWebhook {
  readonly webhook: Webhook;
  /** All endpoints of the project, the default one first. */
  readonly endpoints: readonly Webhook[];
  /** Of its settings. */
  readonly version: string;
  readonly hasSecret: boolean | undefined;
}

/** One endpoint of the webhook of a project. */
export interface Webhooks {
  /** `hasSecret` is undefined if the user lacks permission. @throws AdministrationError NotFound */
  show(): Promise<ShownWebhook>;
  /** @throws AdministrationError InvalidInput, NotFound; Conflict if the settings have another version; AlreadyExists with `isNew` */
  set(settings: WebhookSettings): Promise<SetWebhook>;
  /** Identifies the last rotation of the signing secret. @throws AdministrationError NotFound */
  secretVersion(): Promise<string>;
  /** @throws AdministrationError InvalidInput, NotFound, Conflict */
  rotateSecret(rotation: Rotation): Promise<RotatedSecret>;
  /**
   * New jobs send no events to the endpoint. The secret of the default one is kept for pending events unless `withSecret` is set.
   * Pending events to another one are not sent.
   * @throws AdministrationError NotFound; InvalidInput for the default one while there are others
   */
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

const MAX_OVERLAP_SECONDS = 30 * 86_400;

function stateOf({ status }: ZipProject, { endpoint }: EndpointPlace): EndpointState | undefined {
  return findEndpoint<EndpointState>(status?.webhook, endpoint);
}

async function required(options: WebhooksOptions, place: EndpointPlace): Promise<ZipProject> {
  const project = await requiredProject(options.projects, place.namespace);
  if (specOf(project, place)) return project;
  throw noEndpoint(place);
}

/** The default endpoint may be missing: its Secret outlives it, and signs events that are pending. */
async function requiredBySecret(options: WebhooksOptions, place: EndpointPlace): Promise<ZipProject> {
  return place.endpoint === DEFAULT_ENDPOINT
    ? requiredProject(options.projects, place.namespace)
    : required(options, place);
}

/** Replaces the settings of an endpoint that the project has; `undefined` removes it. */
async function change(
  { projects }: WebhooksOptions,
  place: EndpointPlace,
  to: (endpoint: ProjectEndpoint, current: ZipProject) => ProjectEndpoint | undefined,
): Promise<ZipProject> {
  return changeSpec(projects, {
    read: () => requiredProject(projects, place.namespace),
    change: (current) => {
      const endpoint = specOf(current, place);
      if (!endpoint) throw noEndpoint(place);
      const { webhook, ...spec } = current.spec;
      return {
        ...spec,
        ...defined({ webhook: withEndpoint(webhook, place.endpoint, to(withoutName(endpoint), current)) }),
      };
    },
    annotationsFor: (_spec, current) => withoutAdder(current, place),
  });
}

/** The status has the host of the last delivery, which may have been to another URL. */
function withHost(webhook: Webhook, host: string | undefined): Webhook {
  return webhook.urlIsIn === 'Secret' && host !== undefined ? { ...webhook, host } : webhook;
}

async function show(options: WebhooksOptions, place: EndpointPlace): Promise<ShownWebhook> {
  const { namespace, endpoint } = place;
  const project = await requiredBySecret(options, place);
  const known = await readWebhookSecret(options.secrets, namespace);
  const { hasSecret, host } = known(endpoint);
  return {
    webhook: withHost(toWebhook(project, endpoint), host),
    endpoints: toWebhooks(project).map((webhook) => withHost(webhook, known(webhook.name).host)),
    version: webhookVersion(project, place),
    hasSecret,
  };
}

/** After a change: it is done, whether or not the host can be read. */
async function shown(
  { secrets }: WebhooksOptions,
  { namespace, endpoint }: EndpointPlace,
  project: ZipProject,
): Promise<Webhook> {
  const known = await readWebhookSecret(secrets, namespace).catch(() => undefined);
  return withHost(toWebhook(project, endpoint), known?.(endpoint).host);
}

async function rotate(
  options: WebhooksOptions,
  place: EndpointPlace,
  rotation: Rotation,
): Promise<RotatedSecret> {
  const { overlapSeconds: seconds } = rotation;
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_OVERLAP_SECONDS)
    throw invalidInput(
      'overlapSeconds',
      `Invalid overlap. Use 0 to ${MAX_OVERLAP_SECONDS} whole seconds (30 days)`,
    );
  await requiredBySecret(options, place);
  return rotateSigningSecret(options, place, rotation);
}

async function run(
  options: WebhooksOptions,
  place: EndpointPlace,
  { wait, ...command }: Omit<AwaitedCommand<ZipProject>, 'target'> & { readonly wait: WaitOptions },
): Promise<Webhook> {
  const target = { namespace: place.namespace, name: PROJECT_NAME };
  const annotation = endpointAnnotation(command.annotation, place.endpoint);
  const project = await runCommand(
    options.projects,
    { ...command, target, annotation },
    { ...wait, clock: options.clock },
  );
  return shown(options, place, project);
}

async function enable(options: WebhooksOptions, place: EndpointPlace, wait: WaitOptions): Promise<Webhook> {
  const project = await required(options, place);
  if (specOf(project, place)?.enabled === false)
    await change(options, place, (endpoint) => ({ ...endpoint, enabled: true }));
  const command = {
    annotation: ANNOTATIONS.enableWebhook,
    what: 'Enabling the webhook',
    isAcknowledged: (one: ZipProject, nonce: string) => stateOf(one, place)?.enabledNonce === nonce,
  };
  return run(options, place, { ...command, wait });
}

async function test(options: WebhooksOptions, place: EndpointPlace, wait: WaitOptions): Promise<Webhook> {
  await required(options, place);
  const command = {
    annotation: ANNOTATIONS.testWebhook,
    what: 'Test of the webhook',
    isAcknowledged: (one: ZipProject, nonce: string) => stateOf(one, place)?.test?.nonce === nonce,
  };
  return run(options, place, { ...command, wait });
}

/** Those that are about the endpoint; undefined if there are none. */
function withoutCommands(
  project: ZipProject,
  place: EndpointPlace,
): Readonly<Record<string, null>> | undefined {
  const there = [ANNOTATIONS.testWebhook, ANNOTATIONS.enableWebhook]
    .map((annotation) => endpointAnnotation(annotation, place.endpoint))
    .filter((annotation) => project.metadata.annotations?.[annotation] !== undefined);
  const adder = withoutAdder(project, place);
  return there.length === 0 ? adder : { ...Object.fromEntries(there.map((one) => [one, null])), ...adder };
}

/**
 * Removes an endpoint other than the default one with all that its name stands for: its commands, its URL and its secret must not be
 * those of an endpoint that gets the name later. Completes a removal that was interrupted.
 */
async function removeNamed(
  { projects, secrets }: WebhooksOptions,
  place: EndpointPlace,
): Promise<ZipProject> {
  function read(): Promise<ZipProject> {
    return requiredProject(projects, place.namespace);
  }
  const before = await read();
  const project = await changeSpec(projects, {
    read,
    change: ({ spec: { webhook, ...spec } }) => ({
      ...spec,
      ...defined({ webhook: webhook && withEndpoint(webhook, place.endpoint, undefined) }),
    }),
    annotationsFor: (_spec, current) => withoutCommands(current, place),
  });
  const hadKeys = await deleteEndpointSecret(
    secrets,
    place,
    async () => specOf(await read(), place) === undefined,
  );
  if (!specOf(before, place) && !hadKeys) throw noEndpoint(place);
  return project;
}

/** @throws AdministrationError InvalidInput */
function checkHasNoOthers({ metadata: { namespace }, spec }: ZipProject): void {
  const others = spec.webhook?.endpoints ?? [];
  if (others.length > 0)
    throw new AdministrationError(
      `The default endpoint of project "${namespace}" cannot be deleted while there are others: ${others.map(({ name }) => name).join(', ')}`,
      {
        code: 'InvalidInput',
        commandHint: `Delete them first (zipjobs webhook delete --endpoint NAME -n ${namespace}), or only stop events: zipjobs webhook disable -n ${namespace}`,
      },
    );
}

/** @throws AdministrationError NotFound; InvalidInput while there are other endpoints */
function removeDefault(options: WebhooksOptions, place: EndpointPlace): Promise<ZipProject> {
  return change(options, place, (_endpoint, current) => {
    checkHasNoOthers(current);
    return undefined;
  });
}

async function remove(
  options: WebhooksOptions,
  place: EndpointPlace,
  { withSecret }: { readonly withSecret: boolean },
): Promise<Webhook> {
  const { namespace, endpoint } = place;
  if (endpoint !== DEFAULT_ENDPOINT) return toWebhook(await removeNamed(options, place), endpoint);
  const project = await removeDefault(options, place);
  if (withSecret) await options.secrets.delete(namespace, WEBHOOK_SECRET_NAME);
  return toWebhook(project, endpoint);
}

/** The endpoint with this name. */
export function createWebhooks(
  options: WebhooksOptions,
  namespace: string,
  endpoint = DEFAULT_ENDPOINT,
): Webhooks {
  const place = { namespace, endpoint };
  return {
    show: () => show(options, place),
    set: (settings) => setWebhook(options, place, settings),
    secretVersion: async () => {
      await requiredBySecret(options, place);
      return rotationVersion(await options.secrets.get(namespace, WEBHOOK_SECRET_NAME), endpoint);
    },
    rotateSecret: (rotation) => rotate(options, place, rotation),
    remove: (removal) => remove(options, place, removal),
    test: (wait) => test(options, place, wait),
    beginTest: async () => {
      await required(options, place);
      await sendCommand(options.projects, {
        target: { namespace, name: PROJECT_NAME },
        annotation: endpointAnnotation(ANNOTATIONS.testWebhook, endpoint),
      });
    },
    enable: (wait) => enable(options, place, wait),
    disable: async () => {
      await required(options, place);
      const project = await change(options, place, (current) => ({ ...current, enabled: false }));
      return shown(options, place, project);
    },
  };
}
