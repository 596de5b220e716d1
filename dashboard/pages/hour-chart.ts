import type { HourFigures } from './overview-figures.ts';

const WIDTH = 720;
const HEIGHT = 120;
const GAP = 4;

export interface Bar {
  readonly x: number;
  readonly width: number;
  readonly succeeded: { readonly y: number; readonly height: number };
  readonly failed: { readonly y: number; readonly height: number };
  /** The bar as text. */
  readonly label: string;
}

export interface HourChart {
  readonly width: number;
  readonly height: number;
  readonly bars: readonly Bar[];
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** One bar per hour: failed jobs stacked on succeeded ones. */
export const hourChart = (hours: readonly HourFigures[]): HourChart => {
  const most = Math.max(1, ...hours.map(({ succeeded, failed }) => succeeded + failed));
  const step = WIDTH / hours.length;
  const bars = hours.map(({ from, succeeded, failed }, index) => {
    const [good, bad] = [round((succeeded / most) * HEIGHT), round((failed / most) * HEIGHT)];
    return {
      x: round(index * step + GAP / 2),
      width: round(step - GAP),
      succeeded: { y: round(HEIGHT - good), height: good },
      failed: { y: round(HEIGHT - good - bad), height: bad },
      label: `${from.slice(11, 16)} UTC: ${succeeded} succeeded, ${failed} failed`,
    };
  });
  return { width: WIDTH, height: HEIGHT, bars };
};
