import { basename } from 'node:path';

export const NAME = 'zipjobs';
export type ProgramName = typeof NAME | 'kubectl zipjobs';

const PLUGIN = /^kubectl-zipjobs(?:\.\w+)?$/;
/** A hint can also speak of a zipjobs dashboard, so only these are commands. */
export const COMMANDS =
  'project|bucket|token|webhook|job|request|status|doctor|sysdump|uninstall|version|completion';
const COMMAND = new RegExp(`\\bzipjobs (?=--help|(?:${COMMANDS})\\b)`, 'g');

/** kubectl starts its plugins by their file: `kubectl zipjobs` is the file kubectl-zipjobs. */
export function programName(file: string | undefined): ProgramName {
  return PLUGIN.test(basename(file ?? '')) ? 'kubectl zipjobs' : NAME;
}

/** The commands in a hint, as the user would type them. */
export function asCalled(text: string, name: ProgramName): string {
  return name === NAME ? text : text.replace(COMMAND, `${name} `);
}
