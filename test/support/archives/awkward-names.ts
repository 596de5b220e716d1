/** Valid names that programs for checksums could misread. */
export const AWKWARD_NAMES = [
  '-',
  '-rf',
  ' leading space',
  '*asterisk',
  '#comment',
  '~/home',
  'quote\'s "two" `$(three)`',
  '[a-z]?',
  'bagit.txt',
  'data/manifest-sha256.txt',
  'tab and two  spaces',
  'é/雪/e\u0301 nested',
  '👩‍👩‍👧.txt',
  `long/${'x'.repeat(255)}`,
  Array.from({ length: 14 }, () => '深'.repeat(24)).join('/'),
] as const;

/** More of them, which validators of bags misread. */
export const NOT_IN_BAGS = ['100%', '%0A', 'line\u2028separator', 'space at the end '] as const;
