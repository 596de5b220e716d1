import type { RefusedRequest } from '#administration/projects/refused-interface.ts';
import { type Command, type CommandGroup, NO_COMMAND } from './command.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { DASHBOARD } from './options.ts';
import { toTable } from './table.ts';
import { atLeastOne } from './whole-number.ts';

interface ListArguments extends GlobalArguments {
  readonly id: string | undefined;
  readonly tokenMask: string | undefined;
  readonly code: string | undefined;
  readonly limit: number;
  readonly dashboard: string | undefined;
}

const COLUMNS = ['REQUEST ID', 'LAST', 'STATUS', 'CODE', 'FIELD', 'REQUEST', 'TOKEN', 'COUNT'];

function rowOf({ requestIds, lastAt, status, code, param, method, route, token, count }: RefusedRequest) {
  const [newest] = requestIds;
  const request = `${method} ${route}`;
  return [newest ?? null, lastAt, status, code, param ?? null, request, token ?? null, count];
}

/** For `-o json`: null for unknown fields. */
const UNKNOWN = { token: null, param: null };

const list: Command<ListArguments> = async (args, session) => {
  const { id = '', tokenMask: token = '', code = '' } = args;
  const limit = atLeastOne('limit', args.limit);
  const client = await session.openHistory(args.dashboard);
  const { requests, notes } = await client.refused(session.namespace, { id, token, code });
  const shown = requests.slice(0, limit);
  const [only] = shown;
  const isCut = requests.length > shown.length;
  return {
    value: shown.map((request) => ({ ...UNKNOWN, ...request })),
    text: toTable(COLUMNS, shown.map(rowOf)),
    notes: [
      ...(shown.length === 1 && only !== undefined ? [`${only.code}: ${only.meaning}`] : []),
      ...(isCut
        ? [`Showing the newest ${shown.length} of ${requests.length}. Raise --limit or add a filter`]
        : []),
      ...(shown.length === 0 ? [`No matching refused requests in project "${session.namespace}"`] : []),
      ...notes,
    ],
  };
};

export const addRequestCommands: CommandGroup = (parser, run) =>
  parser.command('request', 'Find requests that the API refused', (group) =>
    group
      .command(
        'list',
        'List the refused requests of the project, newest first, from the dashboard',
        (args) =>
          args
            .options({
              id: {
                type: 'string',
                requiresArg: true,
                describe: 'Request ID: the header X-Request-Id of the response',
              },
              'token-mask': {
                type: 'string',
                requiresArg: true,
                describe: 'Mask of the access token, or a part of it; see: zipjobs token list',
              },
              code: { type: 'string', requiresArg: true, describe: 'Error code, such as parameter_invalid' },
              limit: {
                type: 'number',
                default: 50,
                requiresArg: true,
                describe: 'Maximum rows; equal requests of ten minutes are one',
              },
              dashboard: DASHBOARD,
            })
            .example('$0 request list --id 5f0c1c3e-...', 'Why was this request refused?'),
        run(list),
      )
      .demandCommand(1, NO_COMMAND),
  );
