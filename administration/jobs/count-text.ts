const NUMBER = new Intl.NumberFormat('en');

/** `1 job`, `2 jobs`. */
export function countText(value: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(value)} ${value === 1 ? one : many}`;
}
