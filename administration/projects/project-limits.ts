import type { ProjectLimits, ZipProject } from '#crds/zip-project.ts';
import { eachLimit, isNoLimit, type LimitName, lowerLimit } from '#runtime/project-limits/lower-limit.ts';

type Limits = Readonly<Record<LimitName, number | null>>;

/** The limits of a project for display. */
export interface LimitView {
  /** The class that the operator assigned; null until the controller has reported it. */
  readonly class: { readonly name: string; readonly limits: Partial<ProjectLimits> } | null;
  /** Limits that the project sets. A value above that of the class has no effect. */
  readonly limits: Limits;
  /** Null until the controller has reported the class with this limit. */
  readonly limitsInForce: Limits;
}

export function toLimitView({ spec, status }: Pick<ZipProject, 'spec' | 'status'>): LimitView {
  const limits = eachLimit((name) => spec.limits?.[name] ?? null);
  return {
    class: status?.class ?? null,
    limits,
    limitsInForce: eachLimit((name) => {
      const ofClass = status?.class?.limits[name];
      return ofClass === undefined ? null : lowerLimit(name, ofClass, limits[name]);
    }),
  };
}

/** The highest value that the class allows, if this one exceeds it: it would have no effect, so it is most likely a mistake. */
export function exceededMaximum(
  view: Pick<LimitView, 'class'>,
  name: LimitName,
  value: number,
): number | undefined {
  const ofClass = view.class?.limits[name];
  return ofClass === undefined || isNoLimit(name, ofClass) || value <= ofClass ? undefined : ofClass;
}

/** The end of a sentence about a limit above that of the class. */
export function ceilingText({ class: ofProject }: Pick<LimitView, 'class'>, maximum: string): string {
  return `the class ${ofProject?.name} allows at most ${maximum}. A project can only lower its limits`;
}

/** What to print for a limit; null if nothing is known. */
export function limitText(
  view: LimitView,
  name: LimitName,
  numberText: (value: number) => string = String,
): string | null {
  function text(value: number): string {
    return isNoLimit(name, value) ? 'no limit' : numberText(value);
  }
  const current = view.limitsInForce[name];
  const own = view.limits[name];
  const ofClass = view.class?.limits[name];
  if (current === null || ofClass === undefined) return own === null ? null : text(own);
  if (own === null || own === ofClass) return text(current);
  return current === ofClass
    ? `${text(current)} (of the class; the project sets ${text(own)})`
    : `${text(current)} (of the class: ${text(ofClass)})`;
}
