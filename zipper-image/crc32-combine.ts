/** The polynomial of CRC-32 in zip and S3, with the lowest bit first. */
const POLYNOMIAL = 0xedb88320;
/** x^0 and x^8. */
const ONE = 0x80000000;
const ONE_BYTE = 0x00800000;

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

/** What so many bytes behind it multiply a CRC-32 by. */
function powerOf(bytes: number): number {
  let power = ONE;
  let square = ONE_BYTE;
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

/**
 * The CRC-32 of two byte strings together, from the CRC-32 of each and the length of the second. It does not read the bytes: those
 * of a file arrive in any order, and are also those of parts.
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  return (multiply(powerOf(secondLength), first) ^ second) >>> 0;
}
