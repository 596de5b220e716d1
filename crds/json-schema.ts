type Scalar = string | number | boolean;

export interface ObjectSchema {
  readonly type: 'object';
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Of an object that is a map; then it has no `properties`. */
  readonly additionalProperties?: JsonSchema;
  readonly oneOf?: readonly ObjectSchema[];
  /** The property that selects one of `oneOf`, so that an error is about that one alone. */
  readonly discriminator?: { readonly propertyName: string };
}

/** The part of JSON Schema that this folder uses. FromSchema knows every keyword that changes the type of a value. */
export type JsonSchema =
  | { readonly const: Scalar }
  | { readonly enum: readonly Scalar[] }
  | { readonly type: 'boolean' }
  | {
      readonly type: 'string';
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly pattern?: string;
    }
  | { readonly type: 'integer' | 'number'; readonly minimum?: number }
  | { readonly type: 'array'; readonly items: JsonSchema }
  | ObjectSchema;

interface Simple {
  readonly boolean: boolean;
  readonly string: string;
  readonly integer: number;
  readonly number: number;
}

type RequiredOf<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;

/** Shows an intersection as one object type, also in messages of the compiler. */
type Flat<T> = T extends infer U ? { [K in keyof U]: U[K] } : never;

type FromProperties<P, R> = Flat<
  { readonly [K in keyof P as K extends R ? K : never]: FromSchema<P[K]> } & {
    readonly [K in keyof P as K extends R ? never : K]?: FromSchema<P[K]>;
  }
>;

type FromObject<S> = S extends { readonly additionalProperties: infer A }
  ? Readonly<Record<string, FromSchema<A>>>
  : (S extends { readonly properties: infer P } ? FromProperties<P, RequiredOf<S>> : unknown) &
      (S extends { readonly oneOf: readonly (infer One)[] } ? FromSchema<One> : unknown);

/** The type of the values that a schema accepts. */
export type FromSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: keyof Simple }
      ? Simple[S['type']]
      : S extends { readonly type: 'array'; readonly items: infer I }
        ? readonly FromSchema<I>[]
        : FromObject<S>;
