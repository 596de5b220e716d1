import { createHash } from 'node:crypto';
import { API_STATUSES } from '#crds/zip-job.ts';
import type { Sample } from '#runtime/samples/read-sample.ts';
import { STATUS_MEANINGS } from '../../schemas/zip.ts';
import type { OpenApiDocument, PathItem } from '../document-types.ts';
import type { PublishedSettings } from '../published-settings.ts';
import type { Samples } from '../read-samples.ts';
import { WEBHOOK_ID } from '../webhook.ts';
import { errorsSection } from './errors-section.ts';
import { type Html, html, type Part, prose, table } from './html.ts';
import { limitsSection } from './limits-section.ts';
import { operationSection } from './operation-section.ts';
import { STYLE } from './style.ts';

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
