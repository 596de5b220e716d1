/** The first items of a list, for short messages: `a, b and 2 more`. */
export function firstOf(all: readonly (string | number)[], most = 5): string {
  const named = all.slice(0, most).join(', ');
  return all.length > most ? `${named} and ${all.length - most} more` : named;
}
