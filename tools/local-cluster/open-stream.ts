import type { IncomingMessage, ServerResponse } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProxiedRequest } from './proxied-request.ts';
import { readEvent, type WatchedEvent } from './watched-events.ts';

type Arrange = (events: readonly WatchedEvent[]) => readonly WatchedEvent[];

/** A watch through the proxy. */
export class OpenStream {
  readonly request: ProxiedRequest;
  readonly ended: Promise<void>;
  readonly #to: ServerResponse;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #isLost: ((event: WatchedEvent) => boolean) | undefined;
  /** Events that are held back. Only the newest hold receives events. */
  readonly #holds = new Set<WatchedEvent[]>();

  constructor(request: ProxiedRequest, from: IncomingMessage, to: ServerResponse) {
    this.request = request;
    this.#to = to;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    from.on('data', (chunk: Buffer) => this.#take(chunk));
    from.once('end', () => to.end());
    from.on('error', () => to.destroy());
    from.once('close', resolve);
    to.once('close', () => from.destroy());
    to.flushHeaders();
  }

  /** Closes the connection. */
  cut(): void {
    this.#to.destroy();
  }

  /** Holds events back, then forwards the result of `arrange`, which may reorder, repeat or drop them. */
  async hold(ms: number, arrange: Arrange = (events) => events): Promise<void> {
    const held: WatchedEvent[] = [];
    this.#holds.add(held);
    await delay(ms);
    this.#holds.delete(held);
    this.#pass(arrange(held));
  }

  /** Drops the selected events for this time, while the watch stays open. */
  async lose(ms: number, isLost: (event: WatchedEvent) => boolean): Promise<void> {
    this.#isLost = isLost;
    await delay(ms);
    this.#isLost = undefined;
  }

  /** Drops every event for this time while the connection looks alive, then closes it. */
  async stall(ms: number): Promise<void> {
    await this.lose(ms, () => true);
    this.cut();
  }

  #take(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    const events = lines.filter((line) => line !== '').map(readEvent);
    this.#pass(events.filter((event) => this.#isLost?.(event) !== true));
  }

  #pass(events: readonly WatchedEvent[]): void {
    const holder = [...this.#holds].at(-1);
    if (holder) holder.push(...events);
    else for (const { line } of events) this.#to.write(`${line}\n`);
  }
}
