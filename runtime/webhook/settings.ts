import type { Settings } from '../config/config.ts';

/** Of the processes that make the body of a webhook. */
export const WEBHOOK_BODY_SETTINGS = {
  errorHelpUrl: {
    env: 'ERROR_HELP_URL',
    type: 'string',
    default: '/docs',
    description: 'URL of the page that explains failure codes, for error.help in webhooks',
    setBy: 'the chart: HELP_URL of the API',
  },
} as const satisfies Settings;
