/** The process of a misbehaving project. Receives an order, and runs until its parent disconnects. */
import { requestsSoFar, type Target, WAYS } from './neighbours/ways.ts';

export interface AttackOrder {
  readonly way: string;
  readonly target: Target;
}

const REPORT_INTERVAL_MS = 200;

process.on('disconnect', () => process.exit());
process.once('message', ({ way, target }: AttackOrder) => {
  void WAYS[way]?.(target);
  // The callback ignores an error: the parent may disconnect before it is noticed here.
  function report() {
    return process.send?.(requestsSoFar(), undefined, undefined, () => undefined);
  }
  setInterval(report, REPORT_INTERVAL_MS);
});
