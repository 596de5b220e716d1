import type { OpenApiDocument } from '../document-types.ts';
import type { Samples } from '../read-samples.ts';
import { FIRST_REQUEST, FIRST_RESPONSE } from '../zip-examples.ts';
import { code, example, type Html, html, json, paragraphs } from './html.ts';
import { sampleTabs } from './sample-tabs.ts';
import type { Section } from './section.ts';

/** Where the samples send their requests: absolute if the public URL is known. */
export function zipsUrl({ servers }: OpenApiDocument): string {
  const [{ url } = { url: '' }] = servers;
  return url.startsWith('/') ? '"$ZIPJOBS_URL/v1/zips"' : `${url}/v1/zips`;
}

function firstCall(document: OpenApiDocument): Html {
  const {
    bucket_name,
    key,
    urls: [{ url, filename }],
  } = FIRST_REQUEST;
  return html`<pre tabindex="0" class="copy"><code>curl ${zipsUrl(document)} \\
  -H "Authorization: Bearer $ZIPJOBS_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"bucket_name": "${bucket_name}", "key": "${key}",
    "urls": [{"url": "${url}",
      "filename": "${filename}"}]}'</code></pre>`;
}

export function startSection(document: OpenApiDocument, { makeArchive }: Samples): Section {
  const { info, servers } = document;
  return {
    id: 'start',
    title: 'Getting started',
    text: html`${paragraphs(info.description)}
<ol>
<li>Create an access token in the dashboard or with the command line. The samples read it from <code>ZIPJOBS_TOKEN</code>, and the
address of the service from <code>ZIPJOBS_URL</code>.</li>
<li><a href="#createZip">Create a zip</a>: name the files, the bucket, and the key of the archive.</li>
<li>Wait for the <a href="#zipEnded">webhook</a>, or <a href="#readZip">read the zip</a> until its <a href="#statuses">status</a> is
<code>succeeded</code> or <code>failed</code>.</li>
</ol>
<p>Every path is available below ${servers.map(({ url }, index) => [index === 0 ? '' : ' and ', code(url)])}.</p>`,
    example: [example('Create a zip', firstCall(document)), example('Response', json(FIRST_RESPONSE))],
    below: html`<p>These programs create a zip with an <code>Idempotency-Key</code>, retry safely, and wait until it is finished:</p>
${sampleTabs('make', 'Programs that create a zip', makeArchive)}`,
  };
}
