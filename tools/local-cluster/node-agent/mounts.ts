import { join } from 'node:path';
import type { Container } from './pod-types.ts';

/** A path inside the container and the real one that stands for it. */
export interface PathRule {
  readonly inside: string;
  readonly real: string;
}

/** Rules of a container's mounts, longest path first. */
export function pathRules(container: Container, directoryOf: (volume: string) => string): PathRule[] {
  const rules = (container.volumeMounts ?? []).map(({ name, mountPath, subPath }) => ({
    inside: mountPath.replace(/(.)\/+$/, '$1'),
    real: subPath === undefined ? directoryOf(name) : join(directoryOf(name), subPath),
  }));
  return rules.sort((a, b) => b.inside.length - a.inside.length);
}

/**
 * A value that begins with a mounted path, with the real path in its place. Processes are not put into a root of
 * their own, so a container learns its paths by env or arguments; those are what is rewritten.
 */
export function rewritePath(value: string, rules: readonly PathRule[]): string {
  const rule = rules.find(({ inside }) => value === inside || value.startsWith(`${inside}/`));
  return rule === undefined ? value : rule.real + value.slice(rule.inside.length);
}

/** The real folder of one mounted path, if it is mounted. */
export function realPathOf(inside: string, rules: readonly PathRule[]): string | undefined {
  return rules.find((rule) => rule.inside === inside)?.real;
}
