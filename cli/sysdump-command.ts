import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { explainKubeError } from '#administration/errors/explain-kube-error.ts';
import { sizeText } from '#administration/projects/size-text.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { Command, CommandGroup } from './command.ts';
import { durationMs } from './duration.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { SYSTEM_NAMESPACE } from './options.ts';
import type { Output } from './output.ts';
import type { Session } from './session.ts';
import { DUMP_LIMITS, type DumpLimits } from './sysdump/dump-context.ts';
import type { SysdumpResult } from './sysdump/sysdump.ts';
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

function fileName(now: Date): string {
  return `zipjobs-sysdump-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.zip`;
}

/** Never overwrites a dump: the older one may show the fault. */
function pathOf({ file }: SysdumpArguments, { clock, cwd }: Session): string {
  const path = resolve(cwd, file ?? fileName(clock.date()));
  if (existsSync(path)) throw new UsageError(`File ${path} already exists. Choose another one with --file`);
  return path;
}

function limitsOf({ maxSize, maxObjects, logLines, since }: SysdumpArguments): DumpLimits {
  return {
    ...DUMP_LIMITS,
    maxBytes: atLeastOne('max-size', maxSize) * MEBIBYTE,
    maxObjects: atLeastOne('max-objects', maxObjects),
    logLines: atLeastOne('log-lines', logLines),
    ...(since !== undefined && { logSeconds: Math.max(1, durationMs('since', since) / 1000) }),
  };
}

async function outputOf({ path, namespaces, problems }: SysdumpResult): Promise<Output> {
  const { size } = await stat(path);
  const partial = `The dump is partial: ${problems.length} items are missing or truncated. See errors.txt in the dump.`;
  return {
    value: {
      path,
      bytes: size,
      systemNamespaces: namespaces.system,
      projects: namespaces.projects,
      partial: problems.length > 0,
      missing: problems,
    },
    text: `${path}  (${sizeText(size)})`,
    notes: [
      ...(problems.length > 0 ? [partial] : []),
      'No Secrets were read, and anything that looks like a credential was removed. Review the dump before you share it: it contains names of files, keys and hosts.',
    ],
  };
}

async function sysdumpOf({ kube, clock, terminal }: Session, version: string) {
  // This import loads the writer of archives.
  const { createSysdump } = await import('./sysdump/sysdump.ts');
  return createSysdump({
    kube,
    clock,
    version,
    progress: (line) => {
      terminal.note(`reading ${line}`);
    },
  });
}

function sysdump(version: string): Command<SysdumpArguments> {
  return async (args, session) => {
    const request = {
      path: pathOf(args, session),
      limits: limitsOf(args),
      systemNamespace: args.systemNamespace,
      projects: args.namespace === undefined ? [] : [args.namespace],
      ownNamespace: session.namespace,
    };
    try {
      return await outputOf(await (await sysdumpOf(session, version))(request, session.signal));
    } catch (error) {
      throw isKubeError(error) ? explainKubeError({ verb: 'get', resource: 'version' }, error) : error;
    }
  };
}

const OPTIONS = {
  file: {
    alias: 'f',
    type: 'string',
    requiresArg: true,
    describe: 'Output file; default: zipjobs-sysdump-<time>.zip in the current directory',
  },
  ...SYSTEM_NAMESPACE,
  'max-size': {
    type: 'number',
    requiresArg: true,
    default: DUMP_LIMITS.maxBytes / MEBIBYTE,
    describe: 'Maximum MiB of text, before compression',
  },
  'max-objects': {
    type: 'number',
    requiresArg: true,
    default: DUMP_LIMITS.maxObjects,
    describe: 'Maximum number of objects per kind and namespace',
  },
  'log-lines': {
    type: 'number',
    requiresArg: true,
    default: DUMP_LIMITS.logLines,
    describe: 'Maximum number of lines per log, counted from the end',
  },
  since: {
    type: 'string',
    requiresArg: true,
    describe: 'Only log lines within this time, such as 10m, 2h or 7d',
  },
} as const;

/** Adds the sysdump command; `version` is the version of the CLI. */
export function createSysdumpCommands(version: string): CommandGroup {
  return (parser, run) =>
    parser.command(
      'sysdump',
      'Write a zip for support: resources, events, logs, metrics, versions and settings, without secrets',
      (args) =>
        args
          .hide('output')
          .hide('o')
          .describe('namespace', 'Only the project of this namespace; default: every project')
          .options(OPTIONS)
          .example('$0 sysdump -n acme', 'Dump one project and the chart')
          .example('$0 sysdump', 'Dump every project that you have access to'),
      run(sysdump(version)),
    );
}
