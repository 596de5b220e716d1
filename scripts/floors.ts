/** The pure part of structure.ts: how the rooms of a folder import each other. */

/** Each room with those that it imports. */
export type RoomImports = ReadonlyMap<string, ReadonlySet<string>>;

export interface Floors {
  readonly rooms: number;
  /** Rooms of the longest chain of imports, without upward arrows. */
  readonly floors: number;
  /** Pairs of rooms of which one imports the other. */
  readonly arrows: number;
  /** Arrows that close circles: with them left out, no room imports itself through others. */
  readonly upwards: readonly (readonly [from: string, to: string])[];
}

type Arrows = Map<string, Set<string>>;

/** All rooms that a room imports, directly and through others. */
function reachableFrom(arrows: Arrows, room: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [room];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const to of arrows.get(next) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  return reached;
}

/** Some rooms that import each other in circles; empty if there are none. */
function findCircle(arrows: Arrows): readonly string[] {
  const reachable = new Map([...arrows.keys()].map((room) => [room, reachableFrom(arrows, room)]));
  function reaches(from: string, to: string): boolean {
    return reachable.get(from)?.has(to) === true;
  }
  const first = [...arrows.keys()].find((room) => reaches(room, room));
  if (first === undefined) return [];
  return [...arrows.keys()].filter((room) => reaches(first, room) && reaches(room, first));
}

/** How many more of these rooms it imports than import it. */
function excess(arrows: Arrows, room: string, among: readonly string[]): number {
  const out = among.filter((other) => arrows.get(room)?.has(other) === true).length;
  const into = among.filter((other) => arrows.get(other)?.has(room) === true).length;
  return out - into;
}

/** Removes the arrows into the room of a circle that imports most of the others, until no circle is left. */
function removeUpwards(arrows: Arrows): Floors['upwards'] {
  const removed: (readonly [string, string])[] = [];
  for (let circle = findCircle(arrows); circle.length > 0; circle = findCircle(arrows)) {
    const among = circle;
    const top = among.toSorted((a, b) => excess(arrows, b, among) - excess(arrows, a, among))[0] ?? '';
    for (const room of among) if (arrows.get(room)?.delete(top) === true) removed.push([room, top]);
  }
  return removed;
}

function heightOf(arrows: Arrows, room: string, known: Map<string, number>): number {
  const height =
    known.get(room) ??
    1 + Math.max(0, ...[...(arrows.get(room) ?? [])].map((to) => heightOf(arrows, to, known)));
  known.set(room, height);
  return height;
}

/** Pure. Every imported room must be a key. */
export function floorsOf(imports: RoomImports): Floors {
  const arrows: Arrows = new Map(
    [...imports].map(([room, to]) => [room, new Set([...to].filter((other) => other !== room))]),
  );
  const count = [...arrows.values()].reduce((sum, to) => sum + to.size, 0);
  const upwards = removeUpwards(arrows);
  const known = new Map<string, number>();
  const floors = Math.max(0, ...[...arrows.keys()].map((room) => heightOf(arrows, room, known)));
  return { rooms: arrows.size, floors, arrows: count, upwards };
}
