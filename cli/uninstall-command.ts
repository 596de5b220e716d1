import type { Command, CommandGroup } from './command.ts';
import { confirmed } from './confirm.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { SYSTEM_NAMESPACE, TIMEOUT, YES } from './options.ts';
import type { Uninstalled } from './uninstall/uninstall.ts';
import { waitOptions } from './wait-options.ts';

interface UninstallArguments extends GlobalArguments {
  readonly systemNamespace: string | undefined;
  readonly timeout: number;
  readonly yes: boolean | undefined;
}

function textOf({ controllers, released }: Uninstalled): string {
  const stopped = controllers.map(({ namespace, name }) => `Stopped Deployment "${name}" in "${namespace}".`);
  return [...stopped, `Removed the finalizer of ${released} ${released === 1 ? 'object' : 'objects'}.`].join(
    '\n',
  );
}

const uninstall: Command<UninstallArguments> = async (args, session) => {
  const { systemNamespace: namespace } = args;
  await confirmed(
    session,
    'Stop the controllers and remove the finalizers of all jobs, buckets and projects? Running jobs end without an archive.',
    args,
  );
  const { uninstallOf } = await import('./uninstall/uninstall-of.ts');
  const done = await uninstallOf(session)({
    ...waitOptions(args, session),
    namespace,
    signal: session.signal,
  });
  return {
    value: done,
    text: textOf(done),
    notes: [
      'Now delete the release. With Helm, run: helm uninstall RELEASE --no-hooks. Definitions and objects stay until you delete them.',
    ],
  };
};

export const addUninstallCommand: CommandGroup = (parser, run) =>
  parser.command(
    'uninstall',
    'Stop the controllers and remove finalizers, before the release is deleted without its hooks',
    (args) =>
      args
        .hide('output')
        .hide('o')
        .hide('namespace')
        .hide('n')
        .options({
          ...SYSTEM_NAMESPACE,
          timeout: TIMEOUT('90s'),
          yes: YES,
        })
        .example('$0 uninstall', 'Prepare the deletion of the release'),
    run(uninstall),
  );
