/** What one request uses of a shared capacity. Disposing returns it, and ends the share. */
export interface Share extends Disposable {
  /** False, and nothing changes, if the holder may not use this much more, or after the end. */
  grow(amount: number): boolean;
  shrink(amount: number): void;
  /** After a refusal: true if the holder has other shares and would exceed its equal part; else others use too much. */
  exceedsPart(amount: number): boolean;
}

/**
 * Divides a capacity among holders, such as projects. A holder may use as much as is left free: one alone uses at most
 * half, two a third each, and something is always left for the next one. A request that is alone always fits.
 */
export function createFairCapacity(max: number) {
  let used = 0;
  const usedBy = new Map<string, number>();

  function add(holder: string, amount: number): void {
    used += amount;
    const own = (usedBy.get(holder) ?? 0) + amount;
    if (own === 0) usedBy.delete(holder);
    else usedBy.set(holder, own);
  }

  function open(holder: string): Share {
    let mine = 0;
    let isEnded = false;
    return {
      grow: (amount) => {
        if (isEnded) return false;
        const isAlone = used === mine;
        if (!isAlone && (usedBy.get(holder) ?? 0) + amount > max - used - amount) return false;
        mine += amount;
        add(holder, amount);
        return true;
      },
      shrink: (amount) => {
        if (isEnded) return;
        mine -= amount;
        add(holder, -amount);
      },
      exceedsPart: (amount) => {
        const own = usedBy.get(holder) ?? 0;
        // As many equal parts as there are holders, and one for the next.
        return own > mine && own + amount > max / (usedBy.size + 1);
      },
      [Symbol.dispose]: () => {
        if (isEnded) return;
        isEnded = true;
        add(holder, -mine);
      },
    };
  }

  return {
    open,
    /** The part of the capacity that is in use. */
    used: (): number => used,
  };
}

/**
 * Divides places. All of them can be taken, because a capacity leaves one for the next holder: one holder alone gets half of them,
 * rounded up.
 */
export function createFairPlaces(places: number) {
  return createFairCapacity(places + 1);
}

export type FairCapacity = ReturnType<typeof createFairCapacity>;
