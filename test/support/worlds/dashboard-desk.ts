import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../browser/browser.ts';
import { startDashboardProcess } from '../processes/dashboard-process.ts';
import type { ServerProcess } from '../processes/server-process.ts';
import { createVisitor, type Visitor } from '../servers/dashboard-server.ts';
import { createDashboardUser, type DashboardUser } from './dashboard-users.ts';
import { type Flow, startFlow } from './flow.ts';

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
  /** A page of a signed-in user. */
  openAs(user: DashboardUser, options?: BrowserContextOptions): Promise<OpenPage>;
  /** The session of a user, who signs in once. */
  visit(user: DashboardUser): Promise<Visitor>;
  addUser(account: string, role?: 'view' | 'edit' | 'admin'): Promise<DashboardUser>;
}

/** A page of the dashboard at this address, in its own browser context. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
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
}

/** A page with the session of this visitor, which saves the three page loads of the sign-in form. */
export async function openAs(
  { url, cookies }: Visitor,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const opened = await openPage(url, options);
  await opened.page.context().addCookies(
    [...cookies].map(([name, value]) => ({
      name,
      value,
      domain: new URL(url).hostname,
      path: '/',
      httpOnly: true,
      secure: name.startsWith('__Host-'),
      sameSite: 'Strict',
    })),
  );
  return opened;
}

export async function startDashboardDesk(
  namespace: string,
  env: Readonly<Record<string, string>> = {},
): Promise<DashboardDesk> {
  await using started = new AsyncDisposableStack();
  const flow = started.use(await startFlow(namespace));
  const dashboard = started.use(await startDashboardProcess(flow.cluster, { env }));
  const resources = started.move();
  const visitors = new Map<string, Promise<Visitor>>();
  async function signIn(token: string): Promise<Visitor> {
    const visitor = createVisitor(dashboard.url);
    const { status } = await visitor.signIn(token);
    if (status !== 303) throw new Error(`sign-in returned ${status}`);
    return visitor;
  }
  function visit({ token }: DashboardUser): Promise<Visitor> {
    const visitor = visitors.get(token) ?? signIn(token);
    visitors.set(token, visitor);
    return visitor;
  }
  return {
    flow,
    dashboard,
    url: dashboard.url,
    open: (options) => openPage(dashboard.url, options),
    openAs: async (user, options) => openAs(await visit(user), options),
    visit,
    addUser: (account, role) =>
      createDashboardUser(flow.cluster, namespace, role === undefined ? { account } : { account, role }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
