import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '../document-types.ts';
import type { PublishedSettings } from '../published-settings.ts';
import type { Samples } from '../read-samples.ts';
import { errorSections } from './error-sections.ts';
import { block, html, prose } from './html.ts';
import { limitsSection } from './limits-section.ts';
import { operationSections } from './operation-sections.ts';
import { navigation, renderSection, type Section } from './section.ts';
import { startSection } from './start-section.ts';
import { STYLE } from './style.ts';
import { webhookSections } from './webhook-sections.ts';
import { zipSection } from './zip-section.ts';

export interface PageOptions {
  readonly document: OpenApiDocument;
  readonly settings: PublishedSettings;
  readonly samples: Samples;
}

function authentication({ components }: OpenApiDocument): Section {
  return {
    id: 'authentication',
    title: 'Authentication',
    text: html`<p>${prose(components.securitySchemes.token.description)}</p>
<p>Without the header, the response is 401 <a href="#authentication_required"><code>authentication_required</code></a>. With an
unknown or revoked token it is 401 <a href="#invalid_api_key"><code>invalid_api_key</code></a>, and with a token that lacks the permission
403 <a href="#insufficient_permissions"><code>insufficient_permissions</code></a>.</p>`,
    example: block('Authorization: Bearer ACCESS_TOKEN'),
  };
}

function sectionsOf({ document, settings, samples }: PageOptions): readonly Section[] {
  return [
    startSection(document, samples),
    authentication(document),
    ...operationSections(document),
    zipSection(document),
    ...webhookSections(document, samples),
    limitsSection(settings),
    ...errorSections(document),
  ];
}

/** Renders the API reference from the OpenAPI document. */
export function renderPage(options: PageOptions): string {
  const { title, summary, version } = options.document.info;
  const sections = sectionsOf(options);
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
<p>${summary}. Release ${version}.</p>
</header>
<div class="page">
${navigation(sections)}
<main>${sections.map(renderSection)}
</main>
</div>
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
