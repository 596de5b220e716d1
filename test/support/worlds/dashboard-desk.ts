import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../browser/browser.ts';
import { type ApiProcess, startApiProcess } from '../processes/api-process.ts';
import { createDashboardUser, type DashboardUser } from './dashboard-users.ts';
import { type Flow, startFlow } from './flow.ts';

interface AxeResult {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** What axe finds of the impact serious or critical, as lines: by all of its rules, or by these. */
export const seriousIssues = async (page: Page, rules?: readonly string[]): Promise<readonly string[]> => {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  // Given as text to the debugger's own world: the page's policy lets no other script in.
  await page.evaluate(axe.source);
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then((results) => results.violations)`,
  )) as readonly AxeResult[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
};

/** A page of a browser of its own, with what its console said against us. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts and violations of the content security policy. */
  readonly complaints: readonly string[];
  signIn(token: string): Promise<void>;
}

/** The dashboard of a real API beside the real controller, a project, and persons to sign in as. */
export interface DashboardDesk extends AsyncDisposable {
  readonly flow: Flow;
  readonly api: ApiProcess;
  readonly url: string;
  open(options?: BrowserContextOptions): Promise<OpenPage>;
  addUser(account: string, role?: 'view' | 'edit' | 'admin'): Promise<DashboardUser>;
}

const openPage = async (url: string, options: BrowserContextOptions = {}): Promise<OpenPage> => {
  const context = await openBrowser({ baseURL: url, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Answers such as 422 are told to the console too; those are meant.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return {
    page,
    complaints,
    signIn: async (token) => {
      await page.goto('/sign-in');
      await page.getByLabel('Kubernetes token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Projects' }).waitFor();
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
};

export const startDashboardDesk = async (
  namespace: string,
  env: Readonly<Record<string, string>> = {},
): Promise<DashboardDesk> => {
  await using started = new AsyncDisposableStack();
  const flow = started.use(await startFlow(namespace));
  const api = started.use(
    await startApiProcess(flow.cluster, { env: { DASHBOARD_ENABLED: 'true', ...env } }),
  );
  const resources = started.move();
  return {
    flow,
    api,
    url: api.dashboardUrl,
    open: (options) => openPage(api.dashboardUrl, options),
    addUser: (account, role) =>
      createDashboardUser(flow.cluster, namespace, role === undefined ? { account } : { account, role }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
