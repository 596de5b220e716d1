/** What `kubectl explain` says about the fields of our kinds. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { PLURALS } from '#crds/api-group.ts';

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

interface Definition {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** The API server describes these fields of every kind itself. */
const OF_EVERY_KIND: readonly string[] = ['apiVersion', 'kind', 'metadata'];

function fieldsOf(schema: Schema, path: string): readonly (readonly [path: string, field: Schema])[] {
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      const at = `${path}.${name}`;
      return [[at, field] as const, ...fieldsOf(field, at)];
    }),
    ...(schema.items ? fieldsOf(schema.items, `${path}[]`) : []),
    ...(schema.additionalProperties ? fieldsOf(schema.additionalProperties, `${path}.*`) : []),
  ];
}

for (const [kind, plural] of Object.entries(PLURALS))
  describe(`the definition of ${kind}`, () => {
    const text = readFileSync(`crds/${plural}.yaml`, 'utf8');
    const definition = parse(text) as Definition;
    const [version] = definition.spec.versions;
    const root = version?.schema.openAPIV3Schema ?? {};
    const fields = fieldsOf(root, kind).filter(
      ([path]) => !OF_EVERY_KIND.some((name) => path === `${kind}.${name}`),
    );

    it('describes every field in sentences (Q-P5)', () => {
      expect(fields).not.to.have.length(0);
      const missing = fields.filter(([, { description = '' }]) => !/^[A-Z0-9`'].{8,}\.$/.test(description));
      expect(missing.map(([path]) => path)).to.deep.equal([]);
    });

    it('names the default of each field that the API server sets (Q-P5)', () => {
      const silent = fields.filter(([, { default: value, description = '' }]) => {
        const texts = Array.isArray(value) ? value : [value];
        return ['string', 'number', 'boolean'].includes(typeof texts[0])
          ? !texts.every((one) => description.includes(`Default: ${texts.join(', ')}`) && one !== undefined)
          : false;
      });
      expect(silent.map(([path]) => path)).to.deep.equal([]);
    });

    it('has room in the annotation that kubectl apply writes (Q-P5)', () => {
      // The API server limits all annotations of an object to 262,144 bytes together.
      expect(Buffer.byteLength(JSON.stringify(definition))).to.be.below(131_072);
    });
  });
