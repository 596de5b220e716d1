import type { ConfigOf, Settings } from '#runtime/config/config.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import type { ValuesOf } from '#runtime/config/unsupported-settings.ts';
import { OBJECT_METADATA_SETTINGS } from '#runtime/kube/client/object-metadata.ts';
import { KUBE_CONSTANTS, KUBE_SETTINGS } from '#runtime/kube/client/settings.ts';

export const COMMAND_LINE_SETTINGS = {
  ...KUBE_SETTINGS,
  ...OBJECT_METADATA_SETTINGS,
  kubeconfig: {
    env: 'KUBECONFIG',
    type: 'string',
    default: '',
    description: 'kubeconfig files, separated by colons; default: ~/.kube/config',
    changeWhen: 'set it when the command uses the wrong cluster',
  },
  home: {
    env: 'HOME',
    type: 'string',
    default: '/',
    description: 'home directory, which may contain .kube/config',
    setBy: 'the shell',
  },
} as const satisfies Settings;
export type CommandLineConfig = ConfigOf<typeof COMMAND_LINE_SETTINGS> & ValuesOf<typeof KUBE_CONSTANTS>;

/** @throws ConfigError that names every invalid variable */
export function readCommandLineConfig(env: Readonly<Record<string, string | undefined>>): CommandLineConfig {
  return readConfig(COMMAND_LINE_SETTINGS, env, KUBE_CONSTANTS);
}
