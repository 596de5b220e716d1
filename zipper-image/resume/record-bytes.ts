/** Bytes of a document, written and read one value after another. Numbers without a fixed size take seven bits a byte, low bits first. */

const SEVEN_BITS = 128;
/** Bytes of the largest safe integer in groups of seven bits. */
const MOST_NUMBER_BYTES = 8;
const MOST_U32 = 0xffff_ffff;

function assertNumber(value: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > most)
    throw new RangeError(`${value} is not an integer from 0 to ${most}`);
}

/** @throws RangeError for numbers that do not fit */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(expectedBytes: number) {
    this.#buffer = Buffer.allocUnsafe(expectedBytes);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  number(value: number, most: number = Number.MAX_SAFE_INTEGER): void {
    assertNumber(value, most);
    this.#makeRoom(MOST_NUMBER_BYTES);
    let rest = value;
    for (; rest >= SEVEN_BITS; rest = Math.floor(rest / SEVEN_BITS))
      this.#buffer[this.#length++] = (rest % SEVEN_BITS) + SEVEN_BITS;
    this.#buffer[this.#length++] = rest;
  }

  /** Small numbers of either sign take few bytes. */
  difference(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  u32(value: number): void {
    assertNumber(value, MOST_U32);
    this.#makeRoom(4);
    this.#length = this.#buffer.writeUInt32BE(value, this.#length);
  }

  raw(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  text(value: string): void {
    const bytes = Buffer.from(value);
    this.number(bytes.length);
    this.raw(bytes);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#length + bytes, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Reads what ByteWriter writes. Nothing is allocated for values that are not there. @throws RangeError */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** @throws RangeError for one above `most` */
  number(most: number = Number.MAX_SAFE_INTEGER): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < MOST_NUMBER_BYTES; count += 1) {
      const byte = this.#take(1)[0] ?? 0;
      value += (byte % SEVEN_BITS) * factor;
      factor *= SEVEN_BITS;
      if (byte >= SEVEN_BITS) continue;
      assertNumber(value, most);
      return value;
    }
    throw new RangeError(`a number has more than ${MOST_NUMBER_BYTES} bytes`);
  }

  difference(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** The number of values that follow, each of at least `bytesEach`. @throws RangeError for more than `most`, or than there are */
  count(most: number, bytesEach: number): number {
    return this.number(Math.min(most, Math.floor(this.left / bytesEach)));
  }

  u32(): number {
    return this.#take(4).readUInt32BE();
  }

  /** A copy, which does not keep the other bytes in memory. */
  raw(bytes: number): Buffer {
    return Buffer.from(this.#take(bytes));
  }

  text(): string {
    const bytes = this.#take(this.count(this.left, 1));
    const value = bytes.toString();
    if (!Buffer.from(value).equals(bytes)) throw new RangeError('a text is not UTF-8');
    return value;
  }

  #take(bytes: number): Buffer {
    if (bytes > this.left) throw new RangeError('the bytes end too early');
    this.#at += bytes;
    return this.#bytes.subarray(this.#at - bytes, this.#at);
  }
}
