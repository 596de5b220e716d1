import { find, type KubeObject } from './render.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly (Rule | RecordingRule)[];
}

export function groupsOf(objects: readonly KubeObject[], release = 'zipjobs'): readonly RuleGroup[] {
  const spec = find(objects, 'PrometheusRule', release)['spec'] as { readonly groups: readonly RuleGroup[] };
  return spec.groups;
}

/** The alerts of a release. */
export function rulesOf(objects: readonly KubeObject[], release = 'zipjobs'): readonly Rule[] {
  return groupsOf(objects, release).flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule));
}

/** The recording rules of a release. */
export function recordingRulesOf(objects: readonly KubeObject[]): readonly RecordingRule[] {
  return groupsOf(objects).flatMap(({ rules }) => rules.filter((rule) => 'record' in rule));
}
