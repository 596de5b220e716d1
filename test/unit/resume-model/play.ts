/** One schedule from its seed. */
import { createRandom } from '#test/support/random.ts';
import type { Mistake } from './mistakes.ts';
import { ModelWorld } from './model-world.ts';
import { Rules } from './rules.ts';
import { Schedule } from './schedule.ts';
import { spoiledStatus } from './spoil.ts';
import { VirtualTime } from './virtual-time.ts';

export interface Played {
  readonly broken: readonly string[];
  readonly events: readonly string[];
  /** How it ended, and whether an upload was continued. */
  readonly ending: string;
  readonly resumed: number;
  readonly refused: number;
  /** By recovery. */
  readonly finished: number;
  readonly aborted: number;
}

export async function play(seed: number, mistake?: Mistake): Promise<Played> {
  const random = createRandom(seed);
  using time = new VirtualTime(random);
  const rules = new Rules();
  const world = new ModelWorld({
    time,
    random,
    mistake,
    rules,
    onWrite: (before, after) => {
      rules.wrote(before, after);
      const spoiled = spoiledStatus(mistake, before, after);
      if (spoiled) world.edit((job) => ({ ...job, status: spoiled }));
      const { phase, reason, job, inherits, attempts } = after.status ?? {};
      const last = attempts?.at(-1);
      world.note(
        `controller: ${JSON.stringify([phase, reason, job?.podName?.slice(-2), job?.podUid !== undefined, inherits, last?.class, last?.upload, last?.uploadAborted])}`,
      );
    },
  });
  await new Schedule(world).play();
  rules.finish(world);
  const { phase = 'Deleted', reason = '' } = rules.last;
  return {
    broken: rules.broken,
    events: world.events,
    ending: `${phase} ${reason}`,
    resumed: rules.resumed,
    refused: rules.refused,
    finished: rules.finished,
    aborted: rules.aborts,
  };
}
