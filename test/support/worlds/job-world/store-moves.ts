/** What can happen to the store in the job world, with weights. */
import type { Random } from '#test/support/random.ts';
import type { JobWorld } from './job-world.ts';

type Move = (world: JobWorld, random: Random) => void | Promise<void>;
export type Moves = Readonly<Record<string, readonly [weight: number, move: Move]>>;

export const STORE_MOVES: Moves = {
  'the store is away': [
    0.5,
    (world) => {
      world.store.isDown = true;
    },
  ],
  'the store is back': [
    1,
    (world) => {
      world.store.isDown = false;
    },
  ],
  'the store is away for a moment': [
    1,
    (world, random) => {
      const ms = random.int(200, 30_000);
      world.store.awayUntil = new Date(world.now.getTime() + ms);
    },
  ],
  'the store assembles archives slowly': [
    1,
    (world, random) => {
      world.store.assemblySeconds = random.pick([5, 60, 600, 3000]);
    },
  ],
  'the store assembles archives at once': [
    1,
    (world) => {
      world.store.assemblySeconds = 0;
    },
  ],
  'the store forgets its uploads': [
    0.2,
    (world) => {
      world.store.forget();
    },
  ],
  'the store refuses or ignores aborts': [
    0.5,
    (world, random) => {
      world.store.aborts = random.pick(['refused', 'ignored']);
    },
  ],
  'aborts work': [
    1,
    (world) => {
      world.store.aborts = 'work';
    },
  ],
  'Complete is delayed': [
    0.5,
    (world) => {
      world.store.holdsComplete = true;
    },
  ],
  'Complete is no longer delayed': [
    0.5,
    (world) => {
      world.store.holdsComplete = false;
    },
  ],
  'the store shows objects late': [
    0.5,
    (world) => {
      world.store.showsAfterSeconds = 10;
    },
  ],
};
