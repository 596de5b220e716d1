import { countOf } from '#runtime/count-of.ts';
import type { Level, Result } from '#runtime/doctor/finding.ts';
import type { Command, CommandGroup } from './command.ts';
import { paint } from './decoration.ts';
import type { DoctorArguments } from './doctor-context.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { SYSTEM_NAMESPACE } from './options.ts';
import { printable } from './table.ts';

const COLORS = { ok: 'green', note: 'grey', unknown: 'yellow', warning: 'yellow', failure: 'red' } as const;

const EXIT_CODE_OF: Readonly<Record<Level, number>> = {
  ok: EXIT_CODES.ok,
  note: EXIT_CODES.ok,
  unknown: EXIT_CODES.warnings,
  warning: EXIT_CODES.warnings,
  failure: EXIT_CODES.failed,
};

const LEVEL_WIDTH = 9;
const CHECK_WIDTH = 13;

function resultLines({ level, check, message, remedy }: Result, isDecorated: boolean): readonly string[] {
  const mark = level.padEnd(LEVEL_WIDTH);
  const first = `${isDecorated ? paint(mark, COLORS[level]) : mark}${check.padEnd(CHECK_WIDTH)}${printable(message)}`;
  const indent = ' '.repeat(LEVEL_WIDTH + CHECK_WIDTH);
  return remedy === undefined ? [first] : [first, `${indent}${printable(remedy)}`];
}

function conclusion(results: readonly Result[]): string {
  function count(level: Level): number {
    return results.filter((one) => one.level === level).length;
  }
  const unknown = count('unknown');
  const more = unknown === 0 ? '' : `, ${unknown} not checked`;
  return `${countOf(count('failure'), 'failure')}, ${countOf(count('warning'), 'warning')}${more}`;
}

function doctor(version: string): Command<DoctorArguments> {
  return async (args, session) => {
    // These imports load the checks: skip them for other commands.
    const { openCheckContext } = await import('./doctor-context.ts');
    const { ALL_CHECKS, runDoctor } = await import('#runtime/doctor/doctor.ts');
    const { worstLevel } = await import('#runtime/doctor/finding.ts');
    const context = await openCheckContext(args, session, version);
    const results = await runDoctor(ALL_CHECKS, context);
    const level = worstLevel(results);
    const { isDecorated } = session.terminal;
    return {
      value: {
        namespace: context.release.namespace,
        level,
        results: results.map((one) => ({ ...one, remedy: one.remedy ?? null })),
      },
      text: [...results.flatMap((one) => resultLines(one, isDecorated)), '', conclusion(results)].join('\n'),
      exitCode: EXIT_CODE_OF[level],
    };
  };
}

/** Adds the doctor command; `version` is that of the command line. */
export function createDoctorCommand(version: string): CommandGroup {
  return (parser, run) =>
    parser.command(
      'doctor',
      'Check the installation, its policies, rights, jobs and cluster, and say for each problem what to do',
      (args) =>
        args
          .hide('namespace')
          .hide('n')
          .options(SYSTEM_NAMESPACE)
          .example('$0 doctor', 'Check everything that you may read; nothing is changed')
          .example(
            '$0 doctor -o json',
            'For a script: exit code 0 healthy, 7 warnings or not checked, 1 failures',
          ),
      run(doctor(version)),
    );
}
