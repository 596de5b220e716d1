import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { explainKubeError } from '#administration/explain-kube-error.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { Answer } from './answer.ts';
import type { Command, CommandGroup } from './command.ts';
import { durationMs } from './duration.ts';
import type { GlobalArguments } from './global-arguments.ts';
import type { Session } from './session.ts';
import { DUMP_LIMITS, type DumpLimits } from './sysdump/dump-context.ts';
import { createSysdump, type SysdumpResult } from './sysdump/sysdump.ts';
import { UsageError } from './usage-error.ts';
import { atLeastOne } from './whole-number.ts';

interface SysdumpArguments extends GlobalArguments {
  readonly file: string | undefined;
  readonly systemNamespace: string | undefined;
  readonly maxSize: number;
  readonly maxObjects: number;
  readonly logLines: number;
  readonly since: string | undefined;
}

const MEBIBYTE = 1024 * 1024;

const fileName = (now: Date): string =>
  `zipjobs-sysdump-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.zip`;

/** Nothing is overwritten: the older dump may be the one that shows the fault. */
const pathOf = ({ file }: SysdumpArguments, now: Date): string => {
  const path = resolve(file ?? fileName(now));
  if (existsSync(path)) throw new UsageError(`${path} exists already; name another file with --file`);
  return path;
};

const limitsOf = ({ maxSize, maxObjects, logLines, since }: SysdumpArguments): DumpLimits => ({
  ...DUMP_LIMITS,
  maxBytes: atLeastOne('max-size', maxSize) * MEBIBYTE,
  maxObjects: atLeastOne('max-objects', maxObjects),
  logLines: atLeastOne('log-lines', logLines),
  ...(since !== undefined && { logSeconds: Math.max(1, durationMs('since', since) / 1000) }),
});

const answerOf = async ({ path, namespaces, problems }: SysdumpResult): Promise<Answer> => {
  const { size } = await stat(path);
  const partial = `The dump is partial: ${problems.length} things are missing or cut; errors.txt in it tells which and why.`;
  return {
    value: {
      path,
      bytes: size,
      systemNamespaces: namespaces.system,
      projects: namespaces.projects,
      partial: problems.length > 0,
      missing: problems,
    },
    text: `${path}  (${Math.ceil(size / 1024)} KiB)`,
    notes: [
      ...(problems.length > 0 ? [partial] : []),
      'No Secret was read, and what looks like a credential was left out. Look into it before you send it: names of files, keys and hosts are in it.',
    ],
  };
};

const sysdumpOf = ({ kube, clock, terminal }: Session, version: string) =>
  createSysdump({
    kube,
    clock,
    version,
    progress: (line) => {
      terminal.note(`reading ${line}`);
    },
  });

const sysdump =
  (version: string): Command<SysdumpArguments> =>
  async (args, session) => {
    const request = {
      path: pathOf(args, session.clock.date()),
      limits: limitsOf(args),
      systemNamespace: args.systemNamespace,
      projects: args.namespace === undefined ? [] : [args.namespace],
      ownNamespace: session.namespace,
    };
    try {
      return await answerOf(await sysdumpOf(session, version)(request, session.signal));
    } catch (error) {
      throw isKubeError(error) ? explainKubeError({ verb: 'get', resource: 'version' }, error) : error;
    }
  };

/** The support bundle, written by this version of the command line. */
export const createSysdumpCommands =
  (version: string): CommandGroup =>
  (parser, run) =>
    parser.command(
      'sysdump',
      'Writes one zip with what support needs: resources, events, logs, metrics, versions and settings, no secrets',
      (args) =>
        args
          .options({
            file: {
              alias: 'f',
              type: 'string',
              requiresArg: true,
              describe: 'Where it is written; default: zipjobs-sysdump-<time>.zip here',
            },
            'system-namespace': {
              type: 'string',
              requiresArg: true,
              describe: 'Namespace of the chart; looked for when it is not named',
            },
            'max-size': {
              type: 'number',
              requiresArg: true,
              default: DUMP_LIMITS.maxBytes / MEBIBYTE,
              describe: 'Most MiB of text, before compression',
            },
            'max-objects': {
              type: 'number',
              requiresArg: true,
              default: DUMP_LIMITS.maxObjects,
              describe: 'Most objects of one kind in one namespace',
            },
            'log-lines': {
              type: 'number',
              requiresArg: true,
              default: DUMP_LIMITS.logLines,
              describe: 'Most lines of one log, from its end',
            },
            since: {
              type: 'string',
              requiresArg: true,
              describe: 'Only lines of logs of the last 10m, 2h, 7d',
            },
          })
          .example('$0 sysdump -n acme', 'Of one project and the chart')
          .example('$0 sysdump', 'Of every project that you may see'),
      run(sysdump(version)),
    );
