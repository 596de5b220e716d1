/** Variables of settings as text, and constants of the configuration by their field as numbers. */
export type ConfigChange = Readonly<Record<string, string | number>>;

function isText(entry: readonly [string, string | number]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

/** The configuration of these variables, with these constants. */
export function changedConfig<C extends object>(
  read: (env: Readonly<Record<string, string>>) => C,
  change: ConfigChange,
): C {
  const config = read(Object.fromEntries(Object.entries(change).filter(isText)));
  const constants = Object.entries(change).filter((entry) => !isText(entry));
  const unknown = constants.find(([field]) => !(field in config));
  if (unknown) throw new Error(`${unknown[0]} is no field of the configuration`);
  return { ...config, ...Object.fromEntries(constants) };
}
