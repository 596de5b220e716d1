import { ERROR_CODES } from '../../error-codes.ts';
import { JOB_FAILURES } from '../job-failures.ts';
import { type Html, html, prose } from './html.ts';

const row = (code: string, more: string, text: string): Html =>
  html`<tr id="${code}"><td><code>${code}</code></td><td>${more}</td><td>${prose(text)}</td></tr>\n`;

const head = (...cells: readonly string[]): Html =>
  html`<thead><tr>${cells.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>`;

/** Every code that callers meet, each an anchor: those of answers and those of failed jobs. */
export const errorsSection = (): Html => html`
<section aria-labelledby="errors">
<h2 id="errors">Error codes of answers</h2>
<p>Every answer that is not a success is <code>{"error": {"type", "code", "message", "param"}}</code>. Rely on the code and on
<code>param</code>; the message is for people and may change.</p>
<div class="wide" tabindex="0"><table>${head('Code', 'Status', 'What it means')}
<tbody>${Object.entries(ERROR_CODES).map(([code, { status, text }]) => row(code, String(status), text))}</tbody></table></div>
</section>
<section aria-labelledby="failures">
<h2 id="failures">Error codes of failed jobs</h2>
<p>A job that fails is answered with status <code>failed</code>, not with an HTTP error. The code stands in
<code>error.code</code> of the webhook and of an answer to <code>?expand=error</code>. There is no archive then. Whether the same
request may well succeed tells <code>error.retriable</code>.</p>
<div class="wide" tabindex="0"><table>${head('Code', '', 'What it means')}
<tbody>${JOB_FAILURES.map(({ code, text }) => row(code, '', text))}</tbody></table></div>
</section>`;
