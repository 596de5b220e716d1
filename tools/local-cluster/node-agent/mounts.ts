import { join } from 'node:path';
import type { Container } from './pod-types.ts';

/** A path inside the container, and the real path for it. */
export interface PathRule {
  readonly inside: string;
  readonly real: string;
}

/** The path rules of a container's mounts, longest path first. */
export function pathRules(container: Container, directoryOf: (volume: string) => string): PathRule[] {
  const rules = (container.volumeMounts ?? []).map(({ name, mountPath, subPath }) => ({
    inside: mountPath.replace(/(.)\/+$/, '$1'),
    real: subPath === undefined ? directoryOf(name) : join(directoryOf(name), subPath),
  }));
  return rules.sort((a, b) => b.inside.length - a.inside.length);
}

/**
 * Replaces a mounted path at the start of a value by the real path. Processes have no root file system of their own, so
 * a container must get its paths from env or arguments, which are rewritten.
 */
export function rewritePath(value: string, rules: readonly PathRule[]): string {
  const rule = rules.find(({ inside }) => value === inside || value.startsWith(`${inside}/`));
  return rule === undefined ? value : rule.real + value.slice(rule.inside.length);
}

/** The real folder of a mounted path; undefined if it is not mounted. */
export function realPathOf(inside: string, rules: readonly PathRule[]): string | undefined {
  return rules.find((rule) => rule.inside === inside)?.real;
}
