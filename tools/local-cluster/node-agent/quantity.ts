const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};
const QUANTITY = /^([0-9.]+(?:e[0-9]+)?)(n|u|m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;

/** Parses a Kubernetes quantity: `500m` is 0.5, `1Gi` is 1073741824. */
export function parseQuantity(text: string): number {
  const [, digits, unit = ''] = QUANTITY.exec(text) ?? [];
  const factor = FACTORS[unit];
  if (digits === undefined || factor === undefined) throw new Error(`"${text}" is not a quantity`);
  return Number(digits) * factor;
}
