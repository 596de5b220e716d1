import { randomInt } from 'node:crypto';

const FIRST = 64 << 16;
const COUNT = 64 << 16;

/**
 * Assigns addresses of 127.64.0.0/10, starting at a random one so that two clusters on one machine rarely use the same.
 */
export class Addresses {
  readonly #taken = new Set<string>();
  #next = randomInt(COUNT);

  take(): string {
    for (;;) {
      const offset = this.#next;
      this.#next = (this.#next + 1) % COUNT;
      const address = toAddress(FIRST + offset);
      const host = offset & 0xff;
      if (host === 0 || host === 255 || this.#taken.has(address)) continue;
      this.#taken.add(address);
      return address;
    }
  }

  release(address: string): void {
    this.#taken.delete(address);
  }
}

function toAddress(number: number): string {
  return `127.${(number >> 16) & 0xff}.${(number >> 8) & 0xff}.${number & 0xff}`;
}
