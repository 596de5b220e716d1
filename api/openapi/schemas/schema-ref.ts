/** A reference to a schema of the OpenAPI document. */
export function schemaRef(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name in such a reference. */
export function nameOfRef($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}
