import type { OpenSlice, SliceTarget } from '#zipper-image/byte-sink.ts';

interface Gap {
  readonly from: number;
  readonly to: number;
}

class GapSlice implements OpenSlice {
  readonly from: number;
  readonly to: number;
  readonly bytes: Buffer;
  position: number;
  isTaken = false;

  constructor({ from, to }: Gap) {
    this.from = from;
    this.to = to;
    this.position = from;
    this.bytes = Buffer.alloc(to - from);
  }

  get isFull(): boolean {
    return this.position === this.to;
  }

  write(chunk: Uint8Array, from: number): number {
    const part = chunk.subarray(from, from + this.to - this.position);
    this.bytes.set(part, this.position - this.from);
    this.position += part.length;
    return part.length;
  }
}

/** The parts of a file that are missing. */
export function createSlices(gaps: readonly Gap[]): SliceTarget & { readonly all: readonly GapSlice[] } {
  const all = gaps.map((gap) => new GapSlice(gap));
  let changed = Promise.withResolvers<void>();
  function take(slice: GapSlice | undefined): GapSlice | undefined {
    if (slice) slice.isTaken = true;
    return slice;
  }
  function isFree({ isTaken, isFull }: GapSlice): boolean {
    return !isTaken && !isFull;
  }
  function wake(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }
  return {
    all,
    get hasFree() {
      return all.some(isFree);
    },
    get isComplete() {
      return all.every(({ isFull }) => isFull);
    },
    take: () => take(all.find(isFree)),
    takeLast: () => take(all.findLast(isFree)),
    takeAt: (position) => take(all.find((slice) => isFree(slice) && slice.position === position)),
    giveBack: (given) => {
      for (const slice of all) if (slice === given) slice.isTaken = false;
      wake();
    },
    isTaken: (at) => !all.some((slice) => isFree(slice) && slice.from <= at && at < slice.to),
    skippedTo: (at) => all.find(({ to }) => at < to)?.from ?? at,
    changed: () => changed.promise,
    wake,
  };
}
