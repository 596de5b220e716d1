import { MAX_DATA_BYTES, MAX_DATA_BYTES_IN_ALL } from '#runtime/entries/data-url.ts';
import { jsonLimits, MAX_METADATA_DEPTH, MAX_URL_BYTES_IN_ALL } from '../../body/request-limits.ts';
import { CREATES_BURST_MS } from '../../limits/second-limits.ts';
import { exactDurationText } from '../duration-text.ts';
import { grouped } from '../grouped.ts';
import type { PublishedSettings } from '../published-settings.ts';
import { sizeText } from '../size-text.ts';
import { html, prose, table } from './html.ts';
import type { Section } from './section.ts';

function perSecond(figure: number): string {
  return figure === 0
    ? 'no limit'
    : `${grouped(figure)} per second, after a burst of ${grouped((figure * CREATES_BURST_MS) / 1_000)}`;
}

function perMinute(figure: number): string {
  return figure === 0 ? 'no limit' : `${grouped(figure)} per minute`;
}

const PER_PROJECT = 'Your project may have another limit.';
const PER_SECOND = `Further creates wait up to two seconds, then get 429. ${PER_PROJECT}`;

type Row = readonly [limit: string, maximum: string, notes: string];

function rateRows(settings: PublishedSettings): readonly Row[] {
  return [
    ['Requests per token', perMinute(settings.requestsPerMinutePerToken), ''],
    ['Requests per project', perMinute(settings.projectLimits.requestsPerMinute), PER_PROJECT],
    ['Creates per project', perSecond(settings.projectLimits.createsPerSecond), PER_SECOND],
    ['Files in creates per project', perSecond(settings.projectLimits.filesPerSecond), PER_SECOND],
    ['Requests without a valid token', perMinute(settings.authFailuresPerMinute), 'Per client address.'],
  ];
}

function rowsOf(settings: PublishedSettings, { values } = jsonLimits(settings)): readonly Row[] {
  return [
    [
      'Files per archive',
      grouped(Math.min(settings.maxFiles, settings.projectLimits.filesPerJob)),
      PER_PROJECT,
    ],
    [
      'Size of a file, and of an archive',
      sizeText(settings.projectLimits.archiveBytes),
      `A request whose stated sizes exceed it is refused. Otherwise, a larger file fails the job with \`SourceTooLarge\`, a larger archive with \`ArchiveTooLarge\`. ${PER_PROJECT}`,
    ],
    [
      'Time of a running job',
      exactDurationText(settings.jobMaxSeconds),
      `Then the job fails with \`DeadlineExceeded\`. ${PER_PROJECT}`,
    ],
    ['Request body', sizeText(settings.maxBodyBytes), ''],
    [
      'JSON values in the body',
      `${grouped(values.entries)} in urls, ${grouped(values.others)} elsewhere`,
      'Unknown fields count.',
    ],
    [
      'Source URL',
      `${grouped(settings.maxUrlLength)} characters`,
      `${sizeText(MAX_URL_BYTES_IN_ALL)} in all URLs of a request.`,
    ],
    [
      'File in a data: URL',
      sizeText(MAX_DATA_BYTES),
      `${sizeText(MAX_DATA_BYTES_IN_ALL)} in all data: URLs of a request.`,
    ],
    ['Key', sizeText(settings.maxKeyBytes), 'Encoded as UTF-8.'],
    [
      'Metadata',
      `${sizeText(settings.maxMetadataBytes)}, ${MAX_METADATA_DEPTH} levels`,
      'Serialized as JSON.',
    ],
    ['Request headers', sizeText(settings.maxHeaderBytes), ''],
    [
      'Stored file lists per project',
      sizeText(settings.maxFileListBytesPerProject),
      'Compressed. A list is deleted some time after its job finishes.',
    ],
    ['Stored jobs per project', grouped(settings.projectLimits.storedJobs), PER_PROJECT],
    ['Stored jobs and file lists per project', sizeText(settings.projectLimits.storedBytes), PER_PROJECT],
    ...rateRows(settings),
  ];
}

/** The configured limits. */
export function limitsSection(settings: PublishedSettings): Section {
  return {
    id: 'limits',
    title: 'Limits',
    text: html`<p>These limits are in force. The headers <code>RateLimit-Policy</code> and <code>RateLimit</code> report the remaining
requests. Responses with 429 and 503 contain the seconds to wait in <code>Retry-After</code>.</p>
${table(
  ['Limit', 'Maximum', 'Notes'],
  rowsOf(settings).map(([limit, maximum, notes]) => ({ cells: [limit, maximum, prose(notes)] })),
)}`,
  };
}
