import type { Argv } from 'yargs';
import { endpointOption } from '#administration/webhooks/endpoint-place.ts';
import type { Webhook, WebhookTest } from '#administration/webhooks/webhook-view.ts';
import type { Webhooks } from '#administration/webhooks/webhooks.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import { type Command, type CommandGroup, NO_COMMAND, type Run } from './command.ts';
import { confirmed } from './confirm.ts';
import { resultMark } from './decoration.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { ENDPOINT, TIMEOUT, YES } from './options.ts';
import type { Output } from './output.ts';
import { readArgumentFile } from './read-argument-file.ts';
import type { Session } from './session.ts';
import { type Cell, toFields, toTable } from './table.ts';
import { UsageError } from './usage-error.ts';
import { waitOptions } from './wait-options.ts';

interface EndpointArguments extends GlobalArguments {
  readonly endpoint: string;
}
type TimedArguments = EndpointArguments & { readonly timeout: number };

function webhooksOf({ endpoint }: EndpointArguments, session: Session): Webhooks {
  return session.administration.webhooks(session.namespace, endpoint);
}

/** The options that repeat the project and the endpoint in another command. */
function samePlace({ endpoint }: EndpointArguments, { namespace }: Session): string {
  return `${endpointOption(endpoint)} -n ${namespace}`;
}

function lostSecret(args: EndpointArguments, session: Session): string {
  return `Nobody has seen the new signing secret. Create another one with: zipjobs webhook rotate-secret${samePlace(args, session)}`;
}

const SHOWN_ONCE = 'The signing secret is shown only once. Copy it to the receiver now.';

function testText({ ok, status, error, at }: WebhookTest, isDecorated: boolean): Cell {
  const response = status === null ? (error ?? 'no response') : `HTTP ${status}`;
  return resultMark(`${ok ? 'ok' : 'failed'}, ${response} ${at}`, ok, isDecorated);
}

function stateOf({ isSet, enabled, endpoint }: Webhook): string {
  if (!isSet) return 'Not set';
  if (!enabled) return 'Disabled';
  return endpoint?.state === 'Disabled' ? `Disabled after failures (${endpoint.reason})` : 'Enabled';
}

type Rows = readonly (readonly [string, Cell])[];

function described(webhook: Webhook, { terminal }: Session, more: Rows = []): string {
  return toFields([
    ...(webhook.name === DEFAULT_ENDPOINT ? [] : ([['Endpoint', webhook.name]] as const)),
    ['Host', webhook.host],
    ['URL', webhook.urlIsIn && `in the ${webhook.urlIsIn}`],
    ['Events', webhook.events.join(', ')],
    ['State', stateOf(webhook)],
    ['Last delivery', webhook.endpoint?.lastDeliveryAt ?? null],
    ['Failing since', webhook.endpoint?.failingSince ?? null],
    ['Last test', webhook.lastTest && testText(webhook.lastTest, terminal.isDecorated)],
    ...more,
  ]);
}

function outputOf(webhook: Webhook, session: Session): Output {
  return { value: webhook, text: described(webhook, session) };
}

const SECRET_STATES = { true: 'set', false: 'none', undefined: 'no access' } as const;

const show: Command<EndpointArguments> = async (args, session) => {
  const { webhook, hasSecret } = await webhooksOf(args, session).show();
  return {
    value: { ...webhook, hasSecret: hasSecret ?? null },
    text: described(webhook, session, [['Signing secret', SECRET_STATES[`${hasSecret}`]]]),
  };
};

const list: Command<GlobalArguments> = async (_args, session) => {
  const { endpoints: webhooks } = await session.administration.webhooks(session.namespace).show();
  if (webhooks.length === 0)
    return {
      value: webhooks,
      text: '',
      notes: [`No webhook is set. Set one with: zipjobs webhook update URL -n ${session.namespace}`],
    };
  const rows = webhooks.map((webhook) => [
    webhook.name,
    stateOf(webhook),
    webhook.host,
    webhook.events.join(','),
    webhook.endpoint?.lastDeliveryAt ?? null,
  ]);
  return { value: webhooks, text: toTable(['NAME', 'STATE', 'HOST', 'EVENTS', 'LAST DELIVERY'], rows) };
};

function isPlainHttp(url: string): boolean {
  return !url.startsWith('https:');
}

const PLAIN_HTTP =
  'Plain HTTP is blocked unless your administrator sets webhooks.allowHttp. Use a URL that starts with https://';

interface SetArguments extends EndpointArguments {
  readonly url: string | undefined;
  readonly urlFile: string | undefined;
  readonly events: string | undefined;
}

/** From the argument or the file; undefined keeps the current URL. */
async function readUrl({ url, urlFile }: SetArguments, session: Session): Promise<string | undefined> {
  if (urlFile === undefined) return url;
  if (url !== undefined) throw new UsageError('Pass the URL as an argument or with --url-file, not both');
  if (urlFile === '-') return (await session.terminal.readInput()).trim();
  return (await readArgumentFile({ path: urlFile, what: 'file' }, session)).trim();
}

const update: Command<SetArguments> = async (args, session) => {
  const { events } = args;
  const url = await readUrl(args, session);
  const given = { url, events: events?.split(',').map((word) => word.trim()) };
  const { webhook, secret } = await webhooksOf(args, session).set(given);
  const value = { ...webhook, secret: secret ?? null };
  const next = [
    ...(url !== undefined && isPlainHttp(url) ? [PLAIN_HTTP] : []),
    `Next: zipjobs webhook test${samePlace(args, session)}`,
  ];
  if (secret === undefined)
    return {
      value,
      text: described(webhook, session),
      notes: [
        `The signing secret is unchanged. Create a new one with: zipjobs webhook rotate-secret${samePlace(args, session)}`,
        ...next,
      ],
    };
  return {
    value,
    text: described(webhook, session, [['Signing secret', secret]]),
    notes: [SHOWN_ONCE, ...next],
    ifLost: lostSecret(args, session),
  };
};

const rotateSecret: Command<
  EndpointArguments & { readonly overlapHours: number; readonly yes: boolean | undefined }
> = async (args, session) => {
  const seconds = Math.round(args.overlapHours * 3600);
  if (seconds === 0)
    await confirmed(
      session,
      'Without an overlap, receivers reject every event until they have the new secret. Continue?',
      args,
    );
  const { secret, previousUntil } = await webhooksOf(args, session).rotateSecret({
    overlapSeconds: seconds,
  });
  return {
    value: { secret, previousUntil },
    text: toFields([
      ['Secret', secret],
      ['Old secret valid until', previousUntil],
    ]),
    notes: [SHOWN_ONCE],
    ifLost: lostSecret(args, session),
  };
};

const remove: Command<
  EndpointArguments & { readonly withSecret: boolean; readonly yes: boolean | undefined }
> = async (args, session) => {
  const { endpoint } = args;
  const { namespace } = session;
  const isDefault = endpoint === DEFAULT_ENDPOINT;
  const { webhook: current } = await webhooksOf(args, session).show();
  // Without a webhook, the deletion is refused, so there is nothing to confirm.
  if (current.isSet) {
    const signed = args.withSecret ? ' Pending events can no longer be signed.' : '';
    const question = isDefault
      ? `Delete the webhook of project "${namespace}"?${signed}`
      : `Delete endpoint "${endpoint}" of project "${namespace}" and its signing secret? Its pending events are not sent.`;
    await confirmed(session, question, args);
  }
  const webhook = await webhooksOf(args, session).remove(args);
  const text = isDefault
    ? 'Webhook deleted. New jobs send no events.'
    : `Endpoint ${endpoint} deleted. Nothing is sent to it any more.`;
  return { value: webhook, text };
};

/** The advice depends on whether the receiver responded. */
function afterFailure({ lastTest }: Webhook, place: string): string {
  if (typeof lastTest?.status === 'number')
    return `The receiver did not respond with a 2xx status. Check the URL, the receiver log and the signing secret (create a new one with: zipjobs webhook rotate-secret${place}).`;
  if (lastTest?.error === 'url-not-https') return `No response from the receiver. ${PLAIN_HTTP}`;
  return 'No response from the receiver. Check the host name, the port and the certificate. For a receiver at a private address, ask your administrator to set egress.allowCidrs.';
}

const test: Command<TimedArguments> = async (args, session) => {
  const webhook = await webhooksOf(args, session).test(waitOptions(args, session));
  const isOk = webhook.lastTest?.ok === true;
  return {
    ...outputOf(webhook, session),
    exitCode: isOk ? EXIT_CODES.ok : EXIT_CODES.failed,
    ...(!isOk && { notes: [afterFailure(webhook, samePlace(args, session))] }),
  };
};

const enable: Command<TimedArguments> = async (args, session) =>
  outputOf(await webhooksOf(args, session).enable(waitOptions(args, session)), session);

const disable: Command<EndpointArguments> = async (args, session) => ({
  ...outputOf(await webhooksOf(args, session).disable(), session),
  notes: [
    `New jobs send no events${args.endpoint === DEFAULT_ENDPOINT ? '' : ' to it'}. Enable the webhook with: zipjobs webhook enable${samePlace(args, session)}`,
  ],
});

const EVENTS = {
  type: 'string',
  requiresArg: true,
  describe: 'Events to send, separated by commas: COMPLETED, FAILED; default: both',
} as const;
const URL_FILE = {
  type: 'string',
  requiresArg: true,
  describe: 'File with the URL, - for standard input; other users of the machine can read arguments',
} as const;
const OVERLAP_HOURS = {
  type: 'number',
  default: 24,
  requiresArg: true,
  describe: 'Hours for which the old secret stays valid',
} as const;
const WITH_SECRET = {
  type: 'boolean',
  default: false,
  describe: 'Also delete the signing secret; that of another endpoint than default is always deleted',
} as const;

function addSettingCommands(group: Argv<GlobalArguments>, run: Run): Argv<GlobalArguments> {
  return group
    .command('list', 'List the endpoints of the webhook', (args) => args, run(list))
    .command(
      'show',
      'Show the settings and the state of the endpoint',
      (args) => args.option('endpoint', ENDPOINT),
      run(show),
    )
    .command(
      ['update [url]', 'set'],
      'Set the URL, which is stored in a Secret; the first time, create the signing secret and show it once',
      (args) =>
        args
          .positional('url', { type: 'string', describe: 'URL of the receiver' })
          .option('url-file', URL_FILE)
          .option('events', EVENTS)
          .option('endpoint', ENDPOINT)
          .example('$0 webhook update https://acme.example.com/hooks/zipjobs', 'Send every event')
          .example(
            '$0 webhook update https://audit.example.com/zips --endpoint audit --events FAILED',
            'Add another endpoint',
          ),
      run(update),
    );
}

function addOtherCommands(group: Argv<GlobalArguments>, run: Run): Argv<GlobalArguments> {
  return group
    .command(
      'rotate-secret',
      'Create a new signing secret and show it once; the old one stays valid during the overlap',
      (args) =>
        args.options({
          'overlap-hours': OVERLAP_HOURS,
          endpoint: ENDPOINT,
          yes: YES,
        }),
      run(rotateSecret),
    )
    .command(
      'test',
      'Send an event of type TEST',
      (args) => args.options({ timeout: TIMEOUT('60s'), endpoint: ENDPOINT }),
      run(test),
    )
    .command(
      'enable',
      'Enable the webhook, including an endpoint that was disabled after failures',
      (args) => args.options({ timeout: TIMEOUT('30s'), endpoint: ENDPOINT }),
      run(enable),
    )
    .command(
      'disable',
      'Disable the webhook and keep its settings',
      (args) => args.option('endpoint', ENDPOINT),
      run(disable),
    )
    .command(
      ['delete', 'remove'],
      'Delete the settings',
      (args) =>
        args.options({
          'with-secret': WITH_SECRET,
          endpoint: ENDPOINT,
          yes: YES,
        }),
      run(remove),
    );
}

export const addWebhookCommands: CommandGroup = (parser, run) =>
  parser.command('webhook', 'Manage the webhook that receives an event when a job finishes', (group) =>
    addOtherCommands(addSettingCommands(group, run), run).demandCommand(1, NO_COMMAND),
  );
