type Values = Readonly<Record<string, string | number>>;

/** The environment of a process that reads these settings, which no release supports. */
export function unsupported(values: Values): Readonly<Record<string, string>> {
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)] as const);
  return { ZIPJOBS_UNSUPPORTED_SETTINGS: '1', ...Object.fromEntries(texts) };
}

/** The same as the chart value `podTemplate` of a component. Those of zippers are for the controller. */
export function unsupportedPod(name: 'api' | 'dashboard' | 'controller', values: Values) {
  const env = Object.entries(unsupported(values)).map(([variable, value]) => ({ name: variable, value }));
  return { spec: { containers: [{ name, env }] } };
}
