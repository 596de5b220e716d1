type OptionalKey<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** T with each field that may be undefined as one that may be absent. */
type Defined<T> = Omit<T, OptionalKey<T>> & { [K in OptionalKey<T>]?: Exclude<T[K], undefined> };

/** The fields that have a value: `{ ...defined({ region, host }) }` leaves out those that are undefined. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
