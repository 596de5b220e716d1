/** Nesting levels of objects and arrays in a parsed value, including the value itself; stops at `limit + 1`. */
export function jsonDepth(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (limit === 0) return 1;
  let deepest = 0;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, jsonDepth(inner, limit - 1));
  return deepest + 1;
}
