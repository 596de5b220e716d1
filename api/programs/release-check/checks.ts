import type { ReleaseCheckConfig } from './config.ts';

/** A GET request without credentials, and the response that shows that a component works. */
export interface Check {
  readonly name: string;
  readonly component: 'api' | 'controller' | 'dashboard';
  readonly url: string;
  readonly status: number;
  /** Text that the body must contain. */
  readonly contains: string;
}

/** An id that no ZipJob has. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** The checks of a release. The dashboard is optional. */
export function checksOf({ apiUrl, controllerUrl, dashboardUrl }: ReleaseCheckConfig): readonly Check[] {
  const dashboard: Check = {
    name: 'dashboard sign-in page',
    component: 'dashboard',
    url: `${dashboardUrl}/sign-in`,
    status: 200,
    contains: 'zipjobs',
  };
  return [
    {
      name: 'API reference',
      component: 'api',
      url: `${apiUrl}/openapi.json`,
      status: 200,
      contains: '"openapi"',
    },
    {
      name: 'API request without a token',
      component: 'api',
      url: `${apiUrl}/v1/zips/${NO_ID}`,
      status: 401,
      contains: '"authentication_required"',
    },
    {
      name: 'controller readiness',
      component: 'controller',
      url: `${controllerUrl}/readyz`,
      status: 200,
      contains: '"ok"',
    },
    ...(dashboardUrl === '' ? [] : [dashboard]),
  ];
}
