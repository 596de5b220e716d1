import type { Examples } from './document-types.ts';

export const TRACEPARENT_EXAMPLE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const UUID = '3f0c7a52-6f0e-4f1c-9a55-0d7d1c1f0a11';
const FILE = { url: 'https://files.example.com/2026/report.pdf', filename: 'reports/2026.pdf' };

const FAILED_FILES = [
  { file_index: 1, code: 'SourceNotFound', http_status: 404 },
  { file_index: 7, code: 'SourceUnreachable', http_status: null },
] as const;

/** The first request on the page. Every caller can download the file. */
export const FIRST_REQUEST = {
  bucket_name: 'reports',
  key: 'a.zip',
  urls: [{ url: 'https://example.com', filename: 'a.html' }],
} as const;

/** Its response. */
export const FIRST_RESPONSE = { data: { uuid: UUID, status: 'none', metadata: {} } } as const;

/** Valid POST bodies for a project with a bucket `reports`. */
export const REQUEST_EXAMPLES = {
  smallest: {
    summary: 'Required fields',
    value: { urls: [FILE], bucket_name: 'reports', key: 'archives/2026.zip' },
  },
  everything: {
    summary: 'All fields of a file',
    value: {
      urls: [
        FILE,
        {
          url: 'https://files.example.com/2026/tables.csv',
          filename: 'tables/2026.csv',
          headers: { authorization: 'Bearer SOURCE_TOKEN' },
          size: 48_213,
          sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
          content_type: 'text/csv',
        },
      ],
      bucket_name: 'reports',
      key: 'archives/2026.zip',
      service: 's3',
      metadata: { order: 4711 },
    },
  },
  options: {
    summary: 'Options',
    value: {
      urls: [FILE],
      bucket_name: 'reports',
      key: 'archives/2026.zip',
      on_source_error: 'skip',
      compression: 'auto',
      manifest: 'json',
      object: { content_disposition: 'attachment; filename="2026.zip"' },
    },
  },
} as const satisfies Examples;

export const CREATED_EXAMPLES = {
  created: {
    summary: 'New job',
    value: { data: { uuid: UUID, status: 'none', metadata: { order: 4711 } } },
  },
} as const satisfies Examples;

function failedExample(helpUrl: string): Examples[string] {
  return {
    summary: 'Job failed (expand=error)',
    value: {
      data: {
        uuid: UUID,
        status: 'failed',
        metadata: { order: 4711 },
        error: {
          code: 'SourceNotFound',
          message: 'file 1: the source responded with status 404',
          file_index: 1,
          http_status: 404,
          retriable: false,
          help: `${helpUrl}#SourceNotFound`,
          files: FAILED_FILES,
          files_total: 2,
          files_checked: 12,
          predicted_size: 73_400_320,
          predicted_files: 9,
        },
      },
    },
  };
}

/** Responses of GET, with and without `expand`. */
export function readExamples(helpUrl: string): Examples {
  return {
    succeeded: {
      summary: 'Job succeeded',
      value: { data: { uuid: UUID, status: 'succeeded', metadata: { order: 4711 } } },
    },
    failed: failedExample(helpUrl),
    archived: {
      summary: 'Job succeeded (expand=archive)',
      value: {
        data: {
          uuid: UUID,
          status: 'succeeded',
          metadata: { order: 4711 },
          archive: {
            size: 4096,
            files: 2,
            sha256: null,
            seconds: 3.5,
            skipped: [],
            renamed: [{ file_index: 1, name: 'reports/2026 (2).pdf' }],
            renamed_total: 1,
            accepted_at: '2026-05-04T12:00:00Z',
            started_at: '2026-05-04T12:00:05Z',
            finished_at: '2026-05-04T12:00:09Z',
          },
        },
      },
    },
  };
}

/** Of every event about the job. */
const ARCHIVE = {
  bucket: { service: 's3', name: 'reports' },
  key: 'archives/2026.zip',
  metadata: { order: 4711 },
} as const;

export function webhookExamples(helpUrl: string): Examples {
  return {
    completed: {
      summary: 'Job succeeded',
      value: {
        type: 'COMPLETED',
        zip_id: UUID,
        status: 'succeeded',
        ...ARCHIVE,
      },
    },
    failed: {
      summary: 'Job failed',
      value: {
        type: 'FAILED',
        zip_id: UUID,
        status: 'failed',
        ...ARCHIVE,
        error: {
          code: 'SourceNotFound',
          message: 'file 1: the source responded with status 404',
          file_index: 1,
          files: FAILED_FILES,
          files_total: 2,
          http_status: 404,
          retriable: false,
          help: `${helpUrl}#SourceNotFound`,
          files_checked: 12,
          predicted_size: 73_400_320,
          predicted_files: 9,
        },
      },
    },
  };
}
