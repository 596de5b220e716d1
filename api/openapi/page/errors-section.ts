import { ERROR_CODES } from '../../error-codes.ts';
import { MAX_LISTED_ENTRIES } from '../../list-entry-faults.ts';
import { JOB_FAILURES } from '../job-failures.ts';
import { type Html, html, prose } from './html.ts';

function row(code: string, more: string, text: string): Html {
  return html`<tr id="${code}"><td><code>${code}</code></td><td>${more}</td><td>${prose(text)}</td></tr>\n`;
}

function head(...cells: readonly string[]): Html {
  return html`<thead><tr>${cells.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>`;
}

/** Every error code of responses and of failed jobs, each with an anchor. */
export function errorsSection(): Html {
  return html`
<section aria-labelledby="errors">
<h2 id="errors">Error codes</h2>
<p>Every error response has the body <code>{"error": {"type", "code", "message", "param"}}</code>. Rely on <code>code</code> and
<code>param</code>. The message is meant for humans and may change.</p>
<p>The check of a request ends at its first error. With <code>?expand=error</code>, <code>error.files</code> lists the first ${MAX_LISTED_ENTRIES} invalid
entries of <code>urls</code> with <code>file_index</code>, <code>param</code>, <code>code</code> and <code>message</code>, and <code>error.files_total</code> is their number.</p>
<div class="wide" tabindex="0"><table>${head('Code', 'Status', 'Meaning')}
<tbody>${Object.entries(ERROR_CODES).map(([code, { status, text }]) => row(code, String(status), text))}</tbody></table></div>
</section>
<section aria-labelledby="failures">
<h2 id="failures">Failure codes of jobs</h2>
<p>A failed job has the status <code>failed</code>; it is not an HTTP error. No archive exists, unless the table says otherwise. The code is in
<code>error.code</code> of the webhook and of the response to <code>?expand=error</code>.
<code>error.retriable</code> says whether retrying may help.</p>
<div class="wide" tabindex="0"><table>${head('Code', '', 'Meaning')}
<tbody>${JOB_FAILURES.map(({ code, text }) => row(code, '', text))}</tbody></table></div>
</section>`;
}
