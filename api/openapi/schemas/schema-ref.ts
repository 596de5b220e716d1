/** Description of a `file_index`. */
export const POSITION = 'Position of the file in `urls`, counted from 0.';

/** A reference to a schema of the OpenAPI document. */
export function schemaRef(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name in such a reference. */
export function nameOfRef($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}
