import type { KubeObject } from './render.ts';

interface Rule {
  readonly hosts: readonly string[];
  readonly prefix: string;
  readonly service: string;
}

export interface IngressResponse {
  readonly status: number;
  readonly type: string | null;
  readonly location: string | null;
  readonly text: string;
}

export interface TestIngress {
  /** Sends a GET to an address without scheme, such as zips.example.com/docs. */
  get(address: string, token?: string): Promise<IngressResponse>;
  post(address: string, token: string, body: string): Promise<IngressResponse>;
}

interface IngressRule {
  readonly host?: string;
  readonly http: {
    readonly paths: readonly [
      { readonly path: string; readonly backend: { readonly service: { readonly name: string } } },
    ];
  };
}

interface HttpRouteSpec {
  readonly hostnames?: readonly string[];
  readonly rules: readonly [
    {
      readonly matches: readonly [{ readonly path: { readonly value: string } }];
      readonly backendRefs: readonly [{ readonly name: string }];
    },
  ];
}

function rulesOf({ kind, spec }: KubeObject): readonly Rule[] {
  if (kind === 'Ingress')
    return (spec as { readonly rules: readonly IngressRule[] }).rules.map(({ host, http }) => ({
      hosts: host === undefined ? [] : [host],
      prefix: http.paths[0].path,
      service: http.paths[0].backend.service.name,
    }));
  if (kind !== 'HTTPRoute') return [];
  const { hostnames = [], rules } = spec as HttpRouteSpec;
  return rules.map(({ matches, backendRefs }) => ({
    hosts: hostnames,
    prefix: matches[0].path.value,
    service: backendRefs[0].name,
  }));
}

/** Prefixes match whole segments, and their last slash does not matter. */
function hasPrefix(path: string, prefix: string): boolean {
  return `${path.replace(/\?.*/, '')}/`.startsWith(`${prefix.replace(/\/$/, '')}/`);
}

/** Sends requests as an ingress controller or a Gateway with TLS does for the rendered objects. `backends`: URLs by Service. */
export function createTestIngress(
  objects: readonly KubeObject[],
  backends: Readonly<Record<string, string>>,
): TestIngress {
  const rules = objects.flatMap(rulesOf);
  async function send(address: string, init: RequestInit): Promise<IngressResponse> {
    const [host = ''] = address.split('/');
    const path = address.slice(host.length);
    const rule = rules.find(
      ({ hosts, prefix }) => (hosts.length === 0 || hosts.includes(host)) && hasPrefix(path, prefix),
    );
    const backend = backends[rule?.service ?? ''];
    if (backend === undefined) throw new Error(`no rule for ${address}`);
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' };
    const response = await fetch(`${backend}${path}`, {
      ...init,
      headers: { ...forwarded, ...(init.headers as Record<string, string>) },
    });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      location: response.headers.get('location'),
      text: await response.text(),
    };
  }
  function authorization(token: string) {
    return { authorization: `Bearer ${token}` };
  }
  return {
    get: (address, token) => send(address, { headers: token === undefined ? {} : authorization(token) }),
    post: (address, token, body) =>
      send(address, {
        method: 'POST',
        headers: { ...authorization(token), 'content-type': 'application/json' },
        body,
      }),
  };
}
