/** The polynomial of CRC-32 in zip and S3, with the lowest bit first. */
const POLYNOMIAL = 0xedb88320;
/** x^0 and x^8. */
const ONE = 0x80000000;
const ONE_BYTE = 0x00800000;
/** Reading fewer bytes once more takes less time than combining their CRC-32. */
export const COMBINED_BYTES = 1024;
/** Bytes of 32-bit lengths. */
const DIGITS = 4;

/** The product of two polynomials, modulo the polynomial of CRC-32. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  // Without branches, because the processor could not predict them.
  for (let bit = 0; bit < 32; bit += 1) {
    product ^= shifted & ((a << bit) >> 31);
    shifted = (shifted >>> 1) ^ (POLYNOMIAL & -(shifted & 1));
  }
  return product;
}

/** For each digit of a length to the base of 256: x^(8 * digit * 256^place). */
function computePowers(): readonly Int32Array[] {
  let factor = ONE_BYTE;
  return Array.from({ length: DIGITS }, () => {
    const powers = new Int32Array(256);
    let power = ONE;
    for (let digit = 0; digit < 256; digit += 1) {
      powers[digit] = power;
      power = multiply(power, factor);
    }
    factor = power;
    return powers;
  });
}

let powers: readonly Int32Array[] | undefined;

function powerOf(length: number): number {
  powers ??= computePowers();
  let power = ONE;
  let isOne = true;
  for (let place = 0; place < DIGITS; place += 1) {
    const digit = (length >>> (8 * place)) & 255;
    if (digit === 0) continue;
    const factor = powers[place]?.[digit] ?? 0;
    power = isOne ? factor : multiply(power, factor);
    isOne = false;
  }
  return power;
}

const last = { length: 0, power: ONE };

/**
 * The CRC-32 of two byte strings together, from the CRC-32 of each and the length of the second, which must be below 4 GiB.
 * Does not read the bytes, so their CRC-32 is computed only once although an entry and a part contain them.
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  if (last.length !== secondLength) {
    last.power = powerOf(secondLength);
    last.length = secondLength;
  }
  return (multiply(last.power, first) ^ second) >>> 0;
}
