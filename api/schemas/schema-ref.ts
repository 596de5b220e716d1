/** A reference to a schema of the OpenAPI document. */
export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The name in such a reference. */
export const nameOfRef = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);
