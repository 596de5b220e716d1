import { hasCode } from '#administration/errors/administration-error.ts';
import type { CreatedToken, Token } from '#administration/tokens.ts';
import { type Command, type CommandGroup, NO_COMMAND } from './command.ts';
import { confirmed } from './confirm.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { YES } from './options.ts';
import type { Output } from './output.ts';
import type { Session } from './session.ts';
import { toFields, toTable } from './table.ts';

interface TokenArguments extends GlobalArguments {
  readonly token: string;
}

const SHOWN_ONCE = 'The token is shown only once and is not stored. Copy it now.';

function described(token: Token, value?: string): string {
  return toFields([
    ...(value === undefined ? [] : ([['Token', value]] as const)),
    ['ID', token.id],
    ['Name', token.name],
    ...(value === undefined ? ([['Token', token.masked]] as const) : []),
    ['Permissions', token.permissions.join(', ')],
    ['Created', token.createdAt],
    ...(value === undefined ? ([['Last used', token.lastUsedAt]] as const) : []),
  ]);
}

function createdResponse(
  token: CreatedToken,
  { namespace }: Session,
  { quiet }: { readonly quiet: boolean },
): Output {
  return {
    value: token,
    text: quiet ? token.value : described(token, token.value),
    notes: [SHOWN_ONCE],
    ifLost: `Nobody has seen the new token "${token.id}". Delete it with: zipjobs token delete ${token.id} -n ${namespace}`,
  };
}

const list: Command<GlobalArguments> = async (_args, session) => {
  const tokens = await session.administration.tokens(session.namespace).list();
  const rows = tokens.map((token) => [
    token.id,
    token.name,
    token.masked,
    token.permissions.join(','),
    token.createdAt,
    token.lastUsedAt,
  ]);
  return {
    value: tokens,
    text: toTable(['ID', 'NAME', 'TOKEN', 'PERMISSIONS', 'CREATED', 'LAST USED'], rows),
  };
};

const show: Command<TokenArguments> = async (args, session) => {
  const token = await session.administration.tokens(session.namespace).find(args.token);
  return { value: token, text: described(token) };
};

interface CreateArguments extends GlobalArguments {
  readonly name: string | undefined;
  readonly permissions: string;
  readonly quiet: boolean;
}

function words(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim());
}

/** What follows from the name of other tokens, as far as the user may list them. */
async function namesakes(name: string | undefined, session: Session): Promise<readonly string[]> {
  if (name === undefined) return [];
  const tokens = await session.administration
    .tokens(session.namespace)
    .list()
    .catch((error: unknown) => {
      if (hasCode(error, 'Forbidden')) return [];
      throw error;
    });
  const ids = tokens.filter((token) => token.name === name).map(({ id }) => id);
  return ids.length === 0
    ? []
    : [
        `The name "${name}" was already in use, so commands need the ID of a token. The others with this name: ${ids.join(', ')}`,
      ];
}

const create: Command<CreateArguments> = async (args, session) => {
  const { name, permissions } = args;
  const tokens = session.administration.tokens(session.namespace);
  const sameName = await namesakes(name, session);
  const response = createdResponse(
    await tokens.create({ name, permissions: words(permissions) }),
    session,
    args,
  );
  return { ...response, notes: [SHOWN_ONCE, ...sameName] };
};

const revoke: Command<TokenArguments & { readonly yes: boolean | undefined }> = async (args, session) => {
  const tokens = session.administration.tokens(session.namespace);
  const { id, name, masked } = await tokens.find(args.token);
  await confirmed(
    session,
    `Delete token "${id}" (${name ?? 'no name'}, ${masked})? This cannot be undone.`,
    args,
  );
  const token = await tokens.revoke(id);
  return { value: { ...token, revoked: true }, text: `Token "${id}" deleted.` };
};

const rotate: Command<TokenArguments & { readonly quiet: boolean }> = async (args, session) => {
  const { created, old } = await session.administration.tokens(session.namespace).rotate(args.token);
  const next = `The old token "${old.id}" (${old.masked}) is still valid. Once every client uses the new one, run: zipjobs token delete ${old.id} -n ${session.namespace}`;
  const response = createdResponse(created, session, args);
  return { ...response, value: { ...created, replaces: old.id }, notes: [SHOWN_ONCE, next] };
};

const TOKEN = { type: 'string', demandOption: true, describe: 'ID or name of the token' } as const;
const QUIET = {
  alias: 'q',
  type: 'boolean',
  default: false,
  describe: 'Print only the token',
} as const;

export const addTokenCommands: CommandGroup = (parser, run) =>
  parser.command('token', 'Manage the access tokens of API clients', (group) =>
    group
      .command('list', 'List the tokens of the project, masked', (args) => args, run(list))
      .command('show <token>', 'Show a token, masked', (args) => args.positional('token', TOKEN), run(show))
      .command(
        'create [name]',
        'Create a token and show it once',
        (args) =>
          args
            .positional('name', { type: 'string', describe: 'Display name' })
            .options({
              permissions: {
                type: 'string',
                default: 'create,read',
                requiresArg: true,
                describe: 'Permissions, separated by commas: create, read',
              },
              quiet: QUIET,
            })
            .example('TOKEN=$($0 token create backend --quiet)', 'Create a token for a script'),
        run(create),
      )
      .command(
        'rotate <token>',
        'Create a token with the same name and permissions; the old one stays valid until you delete it',
        (args) => args.positional('token', TOKEN).option('quiet', QUIET),
        run(rotate),
      )
      .command(
        ['delete <token>', 'revoke'],
        'Delete a token: it is invalid immediately and permanently',
        (args) => args.positional('token', TOKEN).option('yes', YES),
        run(revoke),
      )
      .demandCommand(1, NO_COMMAND),
  );
