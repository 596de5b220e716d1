import { until } from '#test/support/until.ts';

/** A response of the API; `text` is the exact body. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: {
    readonly data?: { readonly uuid: string; readonly status: string; readonly metadata: unknown };
    readonly error?: {
      readonly type: string;
      readonly code: string;
      readonly message: string;
      readonly param: string | null;
      /** With `?expand=error`. */
      readonly files?: readonly { readonly file_index: number; readonly param: string | null }[];
      readonly files_total?: number;
    };
  };
}

export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

/** Sends one request like a client of the API. */
export async function askApi(baseUrl: string, request: ApiRequest): Promise<ApiResponse> {
  const response = await fetch(`${baseUrl}${request.path}`, {
    method: request.method ?? 'GET',
    headers: {
      ...(request.token === undefined ? {} : { authorization: `Bearer ${request.token}` }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as ApiResponse['body'],
  };
}

/**
 * Posts a job (an object, or the exact text) and returns its uuid. Repeats it while the API is too busy to verify the token.
 * @throws Error with the body when the API does not accept it.
 */
export async function postJob(
  baseUrl: string,
  token: string,
  request: Readonly<Record<string, unknown>> | string,
): Promise<string> {
  const body = typeof request === 'string' ? request : JSON.stringify(request);
  const response = await until('the API to respond with another status than 503', async () => {
    const one = await askApi(baseUrl, { method: 'POST', path: '/v1/zips', token, body });
    return one.status !== 503 && one;
  });
  const uuid = response.body.data?.uuid;
  if (response.status !== 201 || uuid === undefined)
    throw new Error(`POST /v1/zips returned ${response.status}: ${response.text}`);
  return uuid;
}
