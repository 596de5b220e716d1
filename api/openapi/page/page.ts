import { createHash } from 'node:crypto';
import { API_STATUSES } from '#crds/zip-job.ts';
import type { Sample } from '#runtime/samples/read-sample.ts';
import { MAX_LISTED_ENTRIES } from '../../create/list-entry-faults.ts';
import { ERROR_CODES } from '../../errors/error-codes.ts';
import type { OpenApiDocument, PathItem } from '../document-types.ts';
import { JOB_FAILURES } from '../job-failures.ts';
import type { PublishedSettings } from '../published-settings.ts';
import type { Samples } from '../read-samples.ts';
import { STATUS_MEANINGS } from '../schemas/zip.ts';
import { WEBHOOK_ID } from '../webhook.ts';
import { type Html, html, type Part, prose, table } from './html.ts';
import { limitsSection } from './limits-section.ts';
import { operationSection } from './operation-section.ts';

function row(code: string, more: string, text: string): Html {
  return html`<tr id="${code}"><td><code>${code}</code></td><td>${more}</td><td>${prose(text)}</td></tr>\n`;
}

function head(...cells: readonly string[]): Html {
  return html`<thead><tr>${cells.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>`;
}

/** Every error code of responses and of failed jobs, each with an anchor. */
function errorsSection(): Html {
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

/** The complete style of the page; it loads no resources. */
const STYLE = `
:root { color-scheme: light dark; --text: #1c2128; --soft: #57606a; --back: #fff; --panel: #f4f6f8; --line: #d0d7de; --link: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9da7b1; --back: #0d1117; --panel: #161b22; --line: #30363d; --link: #79b8ff; }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; color: var(--text); background: var(--back);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { margin-bottom: 0; line-height: 1.2; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { margin-top: 2rem; }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0; padding: 0; list-style: none; }
.soft { color: var(--soft); }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:first-child { overflow-wrap: normal; }
tr:target, dt:target { background: var(--panel); outline: 2px solid var(--link); }
pre, code { font-family: ui-monospace, monospace; font-size: .875em; }
code { padding: .1em .3em; border-radius: .25rem; background: var(--panel); }
pre { padding: 1rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--panel); overflow-x: auto; }
pre code { padding: 0; background: none; }
details { margin: .5rem 0; }
summary { cursor: pointer; font-weight: 600; }
dt { margin-top: .75rem; font-weight: 600; }
dd { margin: 0 0 0 1.5rem; }
`;

export interface PageOptions {
  readonly document: OpenApiDocument;
  readonly settings: PublishedSettings;
  readonly samples: Samples;
}

function shown({ language, file, text }: Sample): Html {
  return html`<details><summary>${language}: ${file}</summary><pre tabindex="0"><code>${text}</code></pre></details>\n`;
}

function operationsOf(items: Readonly<Record<string, PathItem>>) {
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

function navigation(document: OpenApiDocument): Html {
  const operations = operationsOf(document.paths).map(({ operation }) => [
    operation.operationId,
    operation.summary,
  ]);
  const links = [
    ['authentication', 'Authentication'],
    ['start', 'Getting started'],
    ...operations,
    ['statuses', 'Status of a job'],
    [WEBHOOK_ID, 'Webhook'],
    ['receive', 'Webhook receivers'],
    ['limits', 'Limits'],
    ['errors', 'Error codes'],
    ['failures', 'Failed jobs'],
  ];
  return html`<nav aria-label="Contents"><ul>
${links.map(([id = '', title = '']) => html`<li><a href="#${id}">${title}</a></li>\n`)}<li><a href="openapi.json">openapi.json</a></li>
</ul></nav>`;
}

function authentication({ document }: PageOptions): Html {
  return html`
<section aria-labelledby="authentication">
<h2 id="authentication">Authentication</h2>
<pre tabindex="0"><code>Authorization: Bearer ACCESS_TOKEN</code></pre>
<p>Send this header with each request. ${document.components.securitySchemes.token.description}</p>
<p>Without the header, the response is 401 <a href="#authentication_required"><code>authentication_required</code></a>. With an
unknown or revoked token it is 401 <a href="#invalid_api_key"><code>invalid_api_key</code></a>, and with a token that lacks the permission
403 <a href="#insufficient_permissions"><code>insufficient_permissions</code></a>.</p>
</section>`;
}

function statuses(): Html {
  return html`
<section aria-labelledby="statuses">
<h2 id="statuses">Status of a job</h2>
${table(
  ['Status', 'Meaning'],
  API_STATUSES.map((status) => [html`<code>${status}</code>`, prose(STATUS_MEANINGS[status])]),
)}
<p>A job never leaves <code>succeeded</code> or <code>failed</code>.</p>
</section>`;
}

function start({ document, samples }: PageOptions): Html {
  return html`
<section aria-labelledby="start">
<h2 id="start">Getting started</h2>
${document.info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<p>Every path is available below these base paths:</p>
<ul>${document.servers.map(({ url, description }) => html`<li><code>${url}</code> ${description}</li>`)}</ul>
<p>Create a zip with an Idempotency-Key and wait until it finishes:</p>
${samples.makeArchive.map(shown)}
</section>`;
}

function webhooks({ document, samples }: PageOptions): Part {
  return operationsOf(document.webhooks).map(
    ({ operation }) => html`
${operationSection({ method: 'POST', path: 'webhook URL of the project', operation, schemas: document.components.schemas })}
<h3 id="receive">Receive webhooks</h3>
<p>Start one of these servers behind a proxy with HTTPS, and set the webhook URL of the project to its public address, such as
<code>https://app.example.com/webhook</code>:</p>
${samples.receiveWebhook.map(shown)}
<h3 id="verify">Verify a webhook</h3>
<p>Use any <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> library, or verify the signature yourself:</p>
${samples.verifyWebhook.map(shown)}`,
  );
}

/** Renders the API reference from the OpenAPI document. */
export function renderPage(options: PageOptions): string {
  const { document, settings } = options;
  const { title, summary, version } = document.info;
  const { schemas } = document.components;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<header>
<h1>${title} API</h1>
<p class="soft">${summary}. Release ${version}.</p>
${navigation(document)}
</header>
<main>
${authentication(options)}
${start(options)}
${operationsOf(document.paths).map((operation) => operationSection({ ...operation, schemas }))}
${statuses()}
${webhooks(options)}
${limitsSection(settings)}
${errorsSection()}
</main>
</body>
</html>
`.html;
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The page loads no resources, runs no scripts, submits no forms and cannot be framed. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
} as const;
