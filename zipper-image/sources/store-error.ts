/** The code is in the first hundred bytes, behind the XML declaration. */
const MOST_BYTES = 4096;
/** No other part of the body may be shown: it contains keys and signatures. */
const CODE = /<Code>([A-Za-z]{1,64})<\/Code>/;

/** The beginning of the body of a response, and the code of the S3 error in it. */
export class StoreError {
  #text = '';

  add(chunk: Buffer): void {
    this.#text += chunk.toString('latin1', 0, MOST_BYTES - this.#text.length);
  }

  get code(): string | undefined {
    const start = this.#text.indexOf('<Error');
    return start === -1 ? undefined : CODE.exec(this.#text.slice(start))?.[1];
  }
}
