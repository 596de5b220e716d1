/**
 * Checks jobs that write the same key: they run one after another, and the key contains the archive of the
 * last one that succeeded.
 */
import { isDeepStrictEqual } from 'node:util';
import { isDeleted, isTerminal, type JobOutcome, type JobStory } from './check-job.ts';
import type { Rule, Sight } from './violation.ts';

const ACTIVE = ['Starting', 'Running', 'Finalizing'];

interface Span {
  readonly story: JobStory;
  readonly from: number;
  readonly to: number;
}

function spanOf(story: JobStory): readonly Span[] {
  const from = story.sights.find(({ phase }) => ACTIVE.some((one) => one === phase))?.at;
  function isOver(sight: Sight): boolean {
    return isTerminal(sight) && !sight.isPodActive;
  }
  const to = story.sights.find((sight) => isOver(sight) || sight.event === 'DELETED')?.at ?? Infinity;
  return from === undefined ? [] : [{ story, from, to }];
}

function checkOrder(stories: readonly JobStory[]): readonly Rule[] {
  const spans = stories.flatMap(spanOf).toSorted((a, b) => a.from - b.from);
  return spans.slice(1).flatMap((span, index): readonly Rule[] => {
    const before = spans[index];
    if (before === undefined || span.from >= before.to) return [];
    const [one, other] = [span.story.job.uuid, before.story.job.uuid];
    return [
      {
        rule: 'order',
        text: `${one} started before ${other} of the same key was finished and its pod was gone`,
      },
    ];
  });
}

function succeededAt({ sights }: JobStory): number | undefined {
  return sights.find(({ apiStatus }) => apiStatus === 'succeeded')?.at;
}

function nameOf(object: JobOutcome['object']): string {
  return typeof object === 'string' ? object : 'an archive';
}

/** A failed job does not change the object at its key. */
function checkUntouched({ before, object }: JobOutcome): readonly Rule[] {
  return object === before
    ? []
    : [{ rule: 'H4', text: `no job succeeded, but ${nameOf(object)} replaced ${before}` }];
}

function checkWinner({ uuid, object, expected }: JobOutcome): readonly Rule[] {
  if (typeof object === 'string')
    return [{ rule: 'H4', text: `${uuid} succeeded, but the key contains ${object}` }];
  return isDeepStrictEqual(object, expected)
    ? []
    : [{ rule: 'H4', text: `${uuid} succeeded, but the archive has other entries` }];
}

function checkObject(stories: readonly JobStory[]): readonly Rule[] {
  // The status cannot say whether these jobs published an archive.
  if (stories.some(({ job, sights }) => isDeleted(job) || sights.at(-1)?.reason === 'OutcomeUnknown'))
    return [];
  const [first] = stories;
  if (first === undefined) return [];
  const winner = stories
    .flatMap((story) => ({ story, at: succeededAt(story) ?? -1 }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)
    .at(-1)?.story;
  return winner === undefined ? checkUntouched(first.job) : checkWinner(winner.job);
}

/** The rules for all jobs of one key. */
export function checkKey(stories: readonly JobStory[]): readonly Rule[] {
  return [...checkOrder(stories), ...checkObject(stories)];
}
