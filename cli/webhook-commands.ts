import type { Webhook, WebhookTest } from '#administration/webhook-view.ts';
import { redactUrl } from '#runtime/redact.ts';
import { webhooksOf } from './administration-of.ts';
import type { Answer } from './answer.ts';
import type { Command, CommandGroup } from './command.ts';
import { confirmed } from './confirm.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { TIMEOUT, YES } from './options.ts';
import { toFields } from './table.ts';

type TimedArguments = GlobalArguments & { readonly timeout: number };

const SHOWN_ONCE = 'The signing secret is shown this once: give it to the receiver now.';

/** The query of a receiver's URL may be its password. */
const withoutSecrets = (webhook: Webhook): Webhook => ({
  ...webhook,
  url: webhook.url === null ? null : redactUrl(webhook.url),
});

const testText = ({ ok, status, error, at }: WebhookTest): string =>
  `${ok ? 'ok' : 'failed'}, ${status === null ? (error ?? 'no answer') : `HTTP ${status}`} ${at}`;

const stateOf = ({ url, enabled, endpoint }: Webhook): string => {
  if (url === null) return 'Not set';
  if (!enabled) return 'Switched off';
  return endpoint?.state === 'Disabled' ? `Disabled (${endpoint.reason})` : 'On';
};

const described = (webhook: Webhook): string =>
  toFields([
    ['URL', webhook.url],
    ['Events', webhook.events.join(', ')],
    ['State', stateOf(webhook)],
    ['Last delivery', webhook.endpoint?.lastDeliveryAt ?? null],
    ['Failing since', webhook.endpoint?.failingSince ?? null],
    ['Last test', webhook.lastTest && testText(webhook.lastTest)],
  ]);

const answerOf = (webhook: Webhook): Answer => {
  const value = withoutSecrets(webhook);
  return { value, text: described(value) };
};

const SECRET_STATES = { true: 'set', false: 'none', undefined: 'you may not look' } as const;

const show: Command<GlobalArguments> = async (_args, session) => {
  const { webhook, hasSecret } = await webhooksOf(session).show();
  const { value, text } = answerOf(webhook);
  const said = toFields([['Signing secret', SECRET_STATES[`${hasSecret}`]]]);
  return {
    value: { ...withoutSecrets(webhook), hasSecret: hasSecret ?? null },
    text: value === null ? said : `${text}\n${said}`,
  };
};

const isPlainHttp = (url: string | null): boolean => url !== null && !url.startsWith('https:');
const PLAIN_HTTP =
  'Plain HTTP is refused unless whoever runs zipjobs allows it (webhooks.allowHttp): set a URL that begins with https://';

interface SetArguments extends GlobalArguments {
  readonly url: string;
  readonly events: string | undefined;
}

const set: Command<SetArguments> = async ({ url, events }, session) => {
  const given = { url, events: events?.split(',').map((word) => word.trim()) };
  const { webhook, secret } = await webhooksOf(session).set(given);
  const { text } = answerOf(webhook);
  const value = { ...withoutSecrets(webhook), secret: secret ?? null };
  const next = [
    ...(isPlainHttp(url) ? [PLAIN_HTTP] : []),
    `Next: zipjobs webhook test -n ${session.namespace}`,
  ];
  if (secret === undefined)
    return {
      value,
      text,
      notes: ['The signing secret stays as it was; zipjobs webhook rotate-secret makes a new one.', ...next],
    };
  return { value, text: `${text}\n${toFields([['Secret', secret]])}`, notes: [SHOWN_ONCE, ...next] };
};

const rotateSecret: Command<
  GlobalArguments & { readonly overlapHours: number; readonly yes: boolean | undefined }
> = async (args, session) => {
  const seconds = Math.round(args.overlapHours * 3600);
  if (seconds === 0)
    await confirmed(
      session,
      'Without an overlap receivers refuse every event until they have the new secret. Go on?',
      args,
    );
  const { secret, previousUntil } = await webhooksOf(session).rotateSecret(seconds);
  return {
    value: { secret, previousUntil },
    text: toFields([
      ['Secret', secret],
      ['The old one signs until', previousUntil],
    ]),
    notes: [SHOWN_ONCE],
  };
};

const remove: Command<
  GlobalArguments & { readonly withSecret: boolean; readonly yes: boolean | undefined }
> = async (args, session) => {
  const fate = args.withSecret ? ' Events on their way can no longer be signed.' : '';
  await confirmed(session, `Remove the webhook of ${session.namespace}?${fate}`, args);
  const webhook = await webhooksOf(session).remove(args);
  return { value: withoutSecrets(webhook), text: 'Jobs that are made from now on tell nobody of their end.' };
};

/** What to do, by what is known of it: whether there was an answer. */
const afterFailure = ({ url, lastTest }: Webhook): string => {
  if (typeof lastTest?.status === 'number')
    return 'The receiver did not answer with 2xx. Check the URL, the log of the receiver, and that it has the signing secret (zipjobs webhook rotate-secret shows a new one).';
  if (isPlainHttp(url)) return `Nothing was sent, or nothing answered. ${PLAIN_HTTP}`;
  return 'Nothing answered the cluster at that URL. Check its name, its port and its certificate. Whoever runs zipjobs allows receivers at private addresses (egress.allowCidrs).';
};

const test: Command<TimedArguments> = async ({ timeout }, session) => {
  const webhook = await webhooksOf(session).test({ limitMs: timeout * 1000, signal: session.signal });
  const isOk = webhook.lastTest?.ok === true;
  return {
    ...answerOf(webhook),
    exitCode: isOk ? EXIT_CODES.ok : EXIT_CODES.failed,
    ...(!isOk && { notes: [afterFailure(webhook)] }),
  };
};

const enable: Command<TimedArguments> = async ({ timeout }, session) =>
  answerOf(await webhooksOf(session).enable({ limitMs: timeout * 1000, signal: session.signal }));

const disable: Command<GlobalArguments> = async (_args, session) => ({
  ...answerOf(await webhooksOf(session).disable()),
  notes: ['Jobs that are made from now on tell nobody of their end, until: zipjobs webhook enable'],
});

const EVENTS = {
  type: 'string',
  requiresArg: true,
  describe: 'What to tell: COMPLETED, FAILED, or both; default: both',
} as const;
const OVERLAP_HOURS = {
  type: 'number',
  default: 24,
  requiresArg: true,
  describe: 'How long both sign',
} as const;
const WITH_SECRET = {
  type: 'boolean',
  default: false,
  describe: 'Remove the signing secret as well',
} as const;

export const addWebhookCommands: CommandGroup = (parser, run) =>
  parser.command('webhook', "Where the project's jobs tell of their end", (group) =>
    group
      .command('show', 'Shows the settings, and how the endpoint does', (args) => args, run(show))
      .command(
        'set <url>',
        'Sets the URL; the first time it makes the signing secret and shows it once',
        (args) =>
          args
            .positional('url', { type: 'string', demandOption: true, describe: 'Of the receiver' })
            .option('events', EVENTS)
            .example('$0 webhook set https://acme.example.com/hooks/zipjobs', 'Tells of every end'),
        run(set),
      )
      .command(
        'rotate-secret',
        'Makes a new signing secret and shows it once; for a time the old one signs, too',
        (args) =>
          args.options({
            'overlap-hours': OVERLAP_HOURS,
            yes: YES,
          }),
        run(rotateSecret),
      )
      .command(
        'test',
        'Sends an event of type TEST',
        (args) => args.option('timeout', TIMEOUT(60)),
        run(test),
      )
      .command(
        'enable',
        'Switches it on, also an endpoint that was disabled because it failed',
        (args) => args.option('timeout', TIMEOUT(30)),
        run(enable),
      )
      .command('disable', 'Switches it off and keeps its settings', (args) => args, run(disable))
      .command(
        'remove',
        'Removes the settings',
        (args) =>
          args.options({
            'with-secret': WITH_SECRET,
            yes: YES,
          }),
        run(remove),
      )
      .demandCommand(1, 'Say what to do: show, set, rotate-secret, test, enable, disable, remove'),
  );
