/** How often `act` normalizes a text. Names are normalized to compare and to rewrite them, so this counts that work. */
export function countNormalized(act: () => unknown): number {
  const original = Object.getOwnPropertyDescriptor(String.prototype, 'normalize');
  if (original === undefined) throw new Error('String.prototype has no method "normalize"');
  const normalize = original.value as (form?: string) => string;
  let count = 0;
  function counted(this: string, form?: string): string {
    count += 1;
    return Reflect.apply(normalize, this, [form]);
  }
  Object.defineProperty(String.prototype, 'normalize', { ...original, value: counted });
  try {
    act();
  } finally {
    Object.defineProperty(String.prototype, 'normalize', original);
  }
  return count;
}
