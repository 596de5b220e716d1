import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProxiedRequest } from './proxied-request.ts';

/** A watch that passes through a proxy. */
export class OpenStream {
  readonly request: ProxiedRequest;
  readonly ended: Promise<void>;
  readonly #from: IncomingMessage;
  readonly #to: ServerResponse;
  #isLosing = false;

  constructor(request: ProxiedRequest, from: IncomingMessage, to: ServerResponse) {
    this.request = request;
    this.#from = from;
    this.#to = to;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    from.on('data', (chunk: Buffer) => {
      if (!this.#isLosing) to.write(chunk);
    });
    from.once('end', () => to.end());
    from.on('error', () => to.destroy());
    from.once('close', resolve);
    to.once('close', () => from.destroy());
    to.flushHeaders();
  }

  /** Breaks the connection. */
  cut(): void {
    this.#to.destroy();
  }

  /** Holds events back, then lets them all through at once. */
  async hold(ms: number): Promise<void> {
    this.#from.pause();
    await delay(ms);
    this.#from.resume();
  }

  /** Loses every event from now on while the connection looks alive, then breaks it. */
  async stall(ms: number): Promise<void> {
    this.#isLosing = true;
    await delay(ms);
    this.cut();
  }
}
