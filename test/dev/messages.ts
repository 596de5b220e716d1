import type { Component } from './change-effects.ts';
import type { RolloutFailure } from './rollouts.ts';

/** `a`, `a and b`, `a, b and c`. */
function list(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `a.ts changed`, or `a.ts and 3 other files changed`. */
function changeOf(paths: readonly string[]): string {
  const [first = '', ...others] = paths;
  if (others.length === 0) return `${first} changed`;
  return `${first} and ${others.length} other file${others.length === 1 ? '' : 's'} changed`;
}

/** The result of a change, on one line. */
export function doneLine(done: {
  readonly paths: readonly string[];
  readonly restarted: readonly Component[];
  readonly isUpgraded: boolean;
  readonly milliseconds: number;
}): string {
  const { paths, restarted, isUpgraded, milliseconds } = done;
  const actions = [
    ...(isUpgraded ? ['chart upgraded'] : []),
    ...(restarted.length === 0 ? [] : [`${list(restarted)} restarted`]),
  ];
  return `${actions.join(', ')} after ${changeOf(paths)} (${(milliseconds / 1000).toFixed(1)} s)`;
}

export function zipperLine(paths: readonly string[]): string {
  return `${changeOf(paths)}: the next job uses it`;
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '    ');
}

/** Why a component does not run the changed files, with the end of its log. */
export function rolloutFailureText({ component, reason, log }: RolloutFailure): string {
  const problem = reason === 'crashed' ? 'failed to start' : `is not ready after ${reason.afterMs / 1000} s`;
  return `${component} ${problem}. The end of its log:\n${indent(log === '' ? '(empty)' : log)}`;
}

/** Why a change was not applied, and what to do. */
export function failedText(failed: {
  readonly paths: readonly string[];
  readonly problems: readonly string[];
  /** Components whose previous version still runs. */
  readonly served: readonly Component[];
}): string {
  const { paths, problems, served } = failed;
  return [
    `${changeOf(paths)}, but the change could not be applied.`,
    ...problems,
    ...served.map((component) => `The previous ${component} keeps running.`),
    'Fix the problem and save the file to try again.',
  ].join('\n');
}

export function commandFailureText(command: string, output: string): string {
  return `${command} failed:\n${indent(output)}`;
}

export function deliveryLine(body: string, isValid: boolean): string {
  return `webhook received, signature ${isValid ? 'valid' : 'invalid (expected if you rotated the secret)'}: ${body}`;
}
