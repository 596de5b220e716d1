/** Above this number, all are dropped: some fields may have as many values as there are objects. */
const MAX_VALUES = 10_000;

/** Returns the same value each time for the same text, so that equal fields of many objects use memory once. */
export function createShared<T>(valueOf: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= MAX_VALUES) known.clear();
    const value = valueOf(text);
    known.set(text, value);
    return value;
  };
}
