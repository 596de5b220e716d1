import { OBJECT_LIMITS } from '#runtime/zip-request/object-options.ts';
import { HEADER_VALUE_PATTERN } from './patterns.ts';

/** `object` of a request. */
export interface ObjectFields {
  readonly content_disposition?: string;
  readonly content_type?: string;
  readonly cache_control?: string;
  readonly storage_class?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
}

const { headerLength, metadataBytes, metadataEntries, tags, tagNameLength, tagValueLength } = OBJECT_LIMITS;

function header(description: string, example: string) {
  return {
    type: 'string',
    minLength: 1,
    maxLength: headerLength,
    pattern: HEADER_VALUE_PATTERN,
    description: `${description} Printable ASCII without leading or trailing spaces. Default: set by your project, or else by the bucket.`,
    examples: [example],
  };
}

export const OBJECT_SCHEMA = {
  title: 'Object options',
  type: 'object',
  additionalProperties: false,
  description:
    'Options of the archive as an object in the bucket. Each overrides what your project sets, which overrides the bucket. Metadata and tags are merged by name. An option that the store of the bucket does not support is refused with 422.',
  properties: {
    content_disposition: header(
      'Content-Disposition of the object.',
      'attachment; filename="photos-2026.zip"',
    ),
    content_type: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description:
        'Content-Type of the object: application/zip, application/octet-stream, application/x-zip-compressed, or a type such as application/vnd.comicbook+zip. Default: set by your project, or else application/zip.',
      examples: ['application/zip'],
    },
    cache_control: header('Cache-Control of the object.', 'private, max-age=3600'),
    storage_class: {
      type: 'string',
      minLength: 1,
      maxLength: OBJECT_LIMITS.storageClassLength,
      description:
        'Storage class of the object. R2 supports STANDARD and STANDARD_IA. Default: set by your project, or else by the bucket.',
      examples: ['STANDARD_IA'],
    },
    metadata: {
      type: 'object',
      maxProperties: metadataEntries,
      additionalProperties: { type: 'string' },
      description: `User metadata of the object: at most ${metadataEntries} entries, and ${metadataBytes} bytes of names and values in all. Names consist of lowercase letters and digits, with "-" between them; names that start with \`zip-\` are reserved. Values are printable ASCII without leading or trailing spaces.`,
      examples: [{ department: 'sales' }],
    },
    tags: {
      type: 'object',
      maxProperties: tags,
      additionalProperties: { type: 'string' },
      description: `Tags of the object: at most ${tags}, with names of up to ${tagNameLength} and values of up to ${tagValueLength} ASCII letters, digits, spaces and \`+ - = . _ : / @\`. The credentials of the bucket need s3:PutObjectTagging. R2 supports no tags.`,
      examples: [{ retention: '30d' }],
    },
  },
} as const;
