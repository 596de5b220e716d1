import type { Webhook, WebhookTest } from '#administration/webhooks/webhook-view.ts';
import { type Command, type CommandGroup, NO_COMMAND } from './command.ts';
import { confirmed } from './confirm.ts';
import { resultMark } from './decoration.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { TIMEOUT, YES } from './options.ts';
import type { Output } from './output.ts';
import { readArgumentFile } from './read-argument-file.ts';
import type { Session } from './session.ts';
import { type Cell, toFields } from './table.ts';
import { UsageError } from './usage-error.ts';
import { waitOptions } from './wait-options.ts';

type TimedArguments = GlobalArguments & { readonly timeout: number };

function lostSecret({ namespace }: Session): string {
  return `Nobody has seen the new signing secret. Create another one with: zipjobs webhook rotate-secret -n ${namespace}`;
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

const show: Command<GlobalArguments> = async (_args, session) => {
  const { webhook, hasSecret } = await session.administration.webhooks(session.namespace).show();
  return {
    value: { ...webhook, hasSecret: hasSecret ?? null },
    text: described(webhook, session, [['Signing secret', SECRET_STATES[`${hasSecret}`]]]),
  };
};

function isPlainHttp(url: string): boolean {
  return !url.startsWith('https:');
}

const PLAIN_HTTP =
  'Plain HTTP is blocked unless your administrator sets webhooks.allowHttp. Use a URL that starts with https://';

interface SetArguments extends GlobalArguments {
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
  const { webhook, secret } = await session.administration.webhooks(session.namespace).set(given);
  const value = { ...webhook, secret: secret ?? null };
  const next = [
    ...(url !== undefined && isPlainHttp(url) ? [PLAIN_HTTP] : []),
    `Next: zipjobs webhook test -n ${session.namespace}`,
  ];
  if (secret === undefined)
    return {
      value,
      text: described(webhook, session),
      notes: [
        'The signing secret is unchanged. Create a new one with: zipjobs webhook rotate-secret',
        ...next,
      ],
    };
  return {
    value,
    text: described(webhook, session, [['Signing secret', secret]]),
    notes: [SHOWN_ONCE, ...next],
    ifLost: lostSecret(session),
  };
};

const rotateSecret: Command<
  GlobalArguments & { readonly overlapHours: number; readonly yes: boolean | undefined }
> = async (args, session) => {
  const seconds = Math.round(args.overlapHours * 3600);
  if (seconds === 0)
    await confirmed(
      session,
      'Without an overlap, receivers reject every event until they have the new secret. Continue?',
      args,
    );
  const { secret, previousUntil } = await session.administration
    .webhooks(session.namespace)
    .rotateSecret({ overlapSeconds: seconds });
  return {
    value: { secret, previousUntil },
    text: toFields([
      ['Secret', secret],
      ['Old secret valid until', previousUntil],
    ]),
    notes: [SHOWN_ONCE],
    ifLost: lostSecret(session),
  };
};

const remove: Command<
  GlobalArguments & { readonly withSecret: boolean; readonly yes: boolean | undefined }
> = async (args, session) => {
  const fate = args.withSecret ? ' Pending events can no longer be signed.' : '';
  const { webhook: current } = await session.administration.webhooks(session.namespace).show();
  // Without a webhook, the deletion is refused, so there is nothing to confirm.
  if (current.isSet)
    await confirmed(session, `Delete the webhook of project "${session.namespace}"?${fate}`, args);
  const webhook = await session.administration.webhooks(session.namespace).remove(args);
  return { value: webhook, text: 'Webhook deleted. New jobs send no events.' };
};

/** The advice depends on whether the receiver responded. */
function afterFailure({ lastTest }: Webhook): string {
  if (typeof lastTest?.status === 'number')
    return 'The receiver did not respond with a 2xx status. Check the URL, the receiver log and the signing secret (create a new one with: zipjobs webhook rotate-secret).';
  if (lastTest?.error === 'url-not-https') return `No response from the receiver. ${PLAIN_HTTP}`;
  return 'No response from the receiver. Check the host name, the port and the certificate. For a receiver at a private address, ask your administrator to set egress.allowCidrs.';
}

const test: Command<TimedArguments> = async (args, session) => {
  const webhook = await session.administration.webhooks(session.namespace).test(waitOptions(args, session));
  const isOk = webhook.lastTest?.ok === true;
  return {
    ...outputOf(webhook, session),
    exitCode: isOk ? EXIT_CODES.ok : EXIT_CODES.failed,
    ...(!isOk && { notes: [afterFailure(webhook)] }),
  };
};

const enable: Command<TimedArguments> = async (args, session) =>
  outputOf(
    await session.administration.webhooks(session.namespace).enable(waitOptions(args, session)),
    session,
  );

const disable: Command<GlobalArguments> = async (_args, session) => ({
  ...outputOf(await session.administration.webhooks(session.namespace).disable(), session),
  notes: [`New jobs send no events. Enable the webhook with: zipjobs webhook enable -n ${session.namespace}`],
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
  describe: 'Also delete the signing secret',
} as const;

export const addWebhookCommands: CommandGroup = (parser, run) =>
  parser.command('webhook', 'Manage the webhook that receives an event when a job finishes', (group) =>
    group
      .command('show', 'Show the settings and the state of the endpoint', (args) => args, run(show))
      .command(
        ['update [url]', 'set'],
        'Set the URL, which is stored in a Secret; the first time, create the signing secret and show it once',
        (args) =>
          args
            .positional('url', { type: 'string', describe: 'URL of the receiver' })
            .option('url-file', URL_FILE)
            .option('events', EVENTS)
            .example('$0 webhook update https://acme.example.com/hooks/zipjobs', 'Send every event'),
        run(update),
      )
      .command(
        'rotate-secret',
        'Create a new signing secret and show it once; the old one stays valid during the overlap',
        (args) =>
          args.options({
            'overlap-hours': OVERLAP_HOURS,
            yes: YES,
          }),
        run(rotateSecret),
      )
      .command(
        'test',
        'Send an event of type TEST',
        (args) => args.option('timeout', TIMEOUT('60s')),
        run(test),
      )
      .command(
        'enable',
        'Enable the webhook, including an endpoint that was disabled after failures',
        (args) => args.option('timeout', TIMEOUT('30s')),
        run(enable),
      )
      .command('disable', 'Disable the webhook and keep its settings', (args) => args, run(disable))
      .command(
        ['delete', 'remove'],
        'Delete the settings',
        (args) =>
          args.options({
            'with-secret': WITH_SECRET,
            yes: YES,
          }),
        run(remove),
      )
      .demandCommand(1, NO_COMMAND),
  );
