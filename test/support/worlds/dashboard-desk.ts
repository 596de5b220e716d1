import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../browser/browser.ts';
import { startDashboardProcess } from '../processes/dashboard-process.ts';
import type { ServerProcess } from '../processes/server-process.ts';
import { createDashboardUser, type DashboardUser } from './dashboard-users.ts';
import { type Flow, startFlow } from './flow.ts';

interface AxeResult {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

type Impact = 'minor' | 'moderate' | 'serious' | 'critical';

/** An element that violates a rule of axe. */
interface AxeIssue {
  readonly impact: string;
  readonly text: string;
}

/** Findings of axe, by all of its rules or by the given ones. */
const axeIssues = async (page: Page, rules?: readonly string[]): Promise<readonly AxeIssue[]> => {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  // Passed as text to the debugger's isolated world: the policy of the page allows no other script.
  await page.evaluate(axe.source);
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then((results) => results.violations)`,
  )) as readonly AxeResult[];
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => ({
      impact: impact ?? 'minor',
      text: `${id} at ${target.join(' ')}: ${failureSummary ?? ''}`,
    })),
  );
};

const isOf =
  (...impacts: readonly Impact[]) =>
  ({ impact }: AxeIssue): boolean =>
    impacts.some((one) => one === impact);

/** Serious and critical findings of axe as lines, by all of its rules or by the given ones. */
export const seriousIssues = async (page: Page, rules?: readonly string[]): Promise<readonly string[]> =>
  (await axeIssues(page, rules)).filter(isOf('serious', 'critical')).map(({ text }) => text);

/** Findings of axe that are at least moderate, as lines. */
export const moderateIssues = async (page: Page): Promise<readonly string[]> =>
  (await axeIssues(page)).filter(isOf('moderate', 'serious', 'critical')).map(({ text }) => text);

/** A page in its own browser, with the errors of its console. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts and violations of the content security policy. */
  readonly complaints: readonly string[];
  signIn(token: string): Promise<void>;
}

/** A real dashboard beside the installed API and controller, a project, and users to sign in as. */
export interface DashboardDesk extends AsyncDisposable {
  readonly flow: Flow;
  readonly dashboard: ServerProcess;
  readonly url: string;
  open(options?: BrowserContextOptions): Promise<OpenPage>;
  addUser(account: string, role?: 'view' | 'edit' | 'admin'): Promise<DashboardUser>;
}

/** A page of the dashboard at this address, in its own browser context. */
export const openPage = async (url: string, options: BrowserContextOptions = {}): Promise<OpenPage> => {
  const context = await openBrowser({ baseURL: url, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The console also logs responses such as 422, which are expected.
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
  const dashboard = started.use(await startDashboardProcess(flow.cluster, { env }));
  const resources = started.move();
  return {
    flow,
    dashboard,
    url: dashboard.url,
    open: (options) => openPage(dashboard.url, options),
    addUser: (account, role) =>
      createDashboardUser(flow.cluster, namespace, role === undefined ? { account } : { account, role }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
