import { MAX_METADATA_DEPTH } from '../../schemas/limits.ts';
import type { PublishedSettings } from '../published-settings.ts';
import { type Html, html, type Part, table } from './html.ts';

const grouped = (figure: number): string => figure.toLocaleString('en-US');
const bytes = (figure: number): string => `${grouped(figure)} bytes`;
const perMinute = (figure: number): string => (figure === 0 ? 'no limit' : `${grouped(figure)} a minute`);

const rowsOf = (settings: PublishedSettings): readonly (readonly Part[])[] => [
  ['Files of one archive', grouped(settings.maxFiles), 'A project may have a lower one.'],
  ['Body of a request', bytes(settings.maxBodyBytes), ''],
  ['URL of a source', `${grouped(settings.maxUrlLength)} characters`, ''],
  ['Key', bytes(settings.maxKeyBytes), 'Of UTF-8.'],
  ['Metadata', `${bytes(settings.maxMetadataBytes)}, ${MAX_METADATA_DEPTH} levels`, 'As JSON text.'],
  ['Headers of a request', bytes(settings.maxHeaderBytes), ''],
  [
    'File lists of a project',
    bytes(settings.maxFileListBytesPerProject),
    'Compressed; a list goes some time after its job has ended.',
  ],
  ['Requests with one token', perMinute(settings.requestsPerMinutePerToken), ''],
  [
    'Requests of a project',
    perMinute(settings.requestsPerMinutePerProject),
    'A project may have a lower one.',
  ],
  ['Requests without a good token', perMinute(settings.authFailuresPerMinute), 'Of one client address.'],
];

/** The limits in force. */
export const limitsSection = (settings: PublishedSettings): Html => html`
<section aria-labelledby="limits">
<h2 id="limits">Limits</h2>
<p>In force here and now. The headers <code>RateLimit-Policy</code> and <code>RateLimit</code> of every answer tell how many requests
are left; 429 and 503 say in <code>Retry-After</code> how many seconds to wait.</p>
${table(['Of', 'At most', ''], rowsOf(settings))}
</section>`;
