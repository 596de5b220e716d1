const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
const QUANTITY = /^([0-9.]+(?:[eE][+-]?[0-9]+)?)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/;

/**
 * The value of a Kubernetes quantity: `500m` is 0.5, `1.5Gi` is 1610612736. Undefined for other texts. The function of
 * @kubernetes/client-node refuses fractions of a unit.
 */
export function findQuantity(text: string): number | undefined {
  const [, digits, unit = ''] = QUANTITY.exec(text) ?? [];
  const factor = FACTORS[unit];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}
