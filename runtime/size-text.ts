/** Each is 1,024 times the one before. */
export const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
const STEP = 1024;

/** Three digits, or two with a fraction: more would not be read. */
function rounded(value: number, power: number): string {
  return power === 0 || value >= 99.95 ? String(Math.round(value)) : value.toFixed(1);
}

/** `1.5 GiB`: in the largest unit of which there is at least one after rounding. */
export function sizeText(bytes: number): string {
  let [value, power] = [bytes, 0];
  while (Math.round(value) >= STEP && power < BYTE_UNITS.length - 1) {
    value /= STEP;
    power += 1;
  }
  return `${rounded(value, power)} ${BYTE_UNITS[power] ?? ''}`;
}
