import { find, type KubeObject } from './render.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The alerts of a release. */
export function rulesOf(objects: readonly KubeObject[], release = 'zipjobs'): readonly Rule[] {
  const spec = find(objects, 'PrometheusRule', release)['spec'] as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  return spec.groups.flatMap(({ rules }) => rules);
}
