/**
 * The pending requeue of the controller. Like in its work queue the earliest time counts, and it is cleared
 * when due.
 */
export class Requeue {
  #next: Date | undefined;

  get next(): Date | undefined {
    return this.#next;
  }

  add(now: Date, ms: number): void {
    const at = new Date(now.getTime() + ms);
    if (this.#next === undefined || at < this.#next) this.#next = at;
  }

  /** A reconcile starts: clears the requeue if it is due. */
  start(now: Date): void {
    if (this.isDue(now)) this.#next = undefined;
  }

  isDue(now: Date): boolean {
    return this.#next !== undefined && this.#next <= now;
  }
}
