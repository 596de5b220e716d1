/**
 * ok       the check passed
 * note     what it is about cannot be seen from inside the cluster
 * unknown  the user lacks a permission, or the read failed
 * warning  needs attention, but the installation works: for example, a project has a wrong bucket
 * failure  the installation, or one of its protections, does not work
 */
export const LEVELS = ['ok', 'note', 'unknown', 'warning', 'failure'] as const;
export type Level = (typeof LEVELS)[number];

/** What a check found about one object. */
export interface Finding {
  readonly level: Level;
  /** What failed, on what, and why; without a full stop. */
  readonly message: string;
  /** What to do next, preferably a command. */
  readonly remedy?: string;
}

/** A finding with the name of its check. */
export interface Result extends Finding {
  readonly check: string;
}

export function ok(message: string): Finding {
  return { level: 'ok', message };
}

export function warning(message: string, remedy: string): Finding {
  return { level: 'warning', message, remedy };
}

export function failure(message: string, remedy: string): Finding {
  return { level: 'failure', message, remedy };
}

/** The findings, or that everything is well. */
export function orOk(findings: readonly Finding[], message: string): readonly Finding[] {
  return findings.length > 0 ? findings : [ok(message)];
}

/** The most severe level; `ok` without findings. */
export function worstLevel(findings: readonly Pick<Finding, 'level'>[]): Level {
  return LEVELS.findLast((level) => findings.some((one) => one.level === level)) ?? 'ok';
}
