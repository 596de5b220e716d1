/** When the controller asked to look again. As in its work queue the earliest time counts, and what is due is forgotten. */
export class WakeUps {
  #next: Date | undefined;

  get next(): Date | undefined {
    return this.#next;
  }

  add(now: Date, ms: number): void {
    const at = new Date(now.getTime() + ms);
    if (this.#next === undefined || at < this.#next) this.#next = at;
  }

  /** The controller looks: what was due by now is done. */
  begin(now: Date): void {
    if (this.isDue(now)) this.#next = undefined;
  }

  isDue(now: Date): boolean {
    return this.#next !== undefined && this.#next <= now;
  }
}
