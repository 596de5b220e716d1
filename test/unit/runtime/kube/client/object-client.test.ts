import { expect } from 'chai';
import { ConfigError, isAbort } from '#runtime/errors.ts';
import { createKubeClient } from '#runtime/kube/client/client.ts';
import { isKubeError, type KubeError } from '#runtime/kube/client/kube-error.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { until } from '#test/support/until.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { aNote, NOTES, startScriptedApiServer } from '../scripted-api-server.ts';

function status(reason: string, message = reason, details: object = {}): object {
  return {
    kind: 'Status',
    status: 'Failure',
    reason,
    message,
    details,
  };
}

async function rejection(promise: Promise<unknown>): Promise<KubeError> {
  try {
    await promise;
  } catch (error) {
    if (isKubeError(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

const KYVERNO =
  'admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource Job/red/zip-1 was blocked due to the following policies';
const OF_POLICY =
  "jobs.batch \"zip-1\" is forbidden: ValidatingAdmissionPolicy 'require-team' with binding 'all' denied request: a label is missing";

describe('createObjectClient', () => {
  it('gets an object, or undefined if it does not exist', async () => {
    await using server = await startScriptedApiServer();
    const notes = createObjectClient(server.kube, NOTES);
    const found = notes.get('ns', 'a');
    const request = await server.next();
    expect([request.method, request.url.pathname, request.headers.authorization]).to.deep.equal([
      'GET',
      '/apis/test.dev/v1/namespaces/ns/notes/a',
      'Bearer one',
    ]);
    request.json(200, aNote('a', 1));
    expect(await found).to.deep.equal(aNote('a', 1));
    const missing = notes.get('ns', 'b');
    (await server.next()).json(404, status('NotFound'));
    expect(await missing).to.equal(undefined);
  });

  it('distinguishes a resource that is not served from a missing object', async () => {
    await using server = await startScriptedApiServer();
    const response = rejection(createObjectClient(server.kube, NOTES).get('ns', 'a'));
    (await server.next()).json(404, '404 page not found');
    expect(await response).to.deep.include({ code: 'NotServed', retryable: true, httpStatus: 404 });
  });

  for (const [what, httpStatus, body] of [
    ['is not found', 404, status('NotFound', 'the server could not find the requested resource')],
    ['has no path', 404, '404 page not found'],
    [
      'is being deleted and forbidden',
      403,
      status(
        'Forbidden',
        'notes.test.dev "a" is forbidden: create not allowed while custom resource definition is terminating',
      ),
    ],
    [
      'is being deleted',
      405,
      status('MethodNotAllowed', 'create not allowed while custom resource definition is terminating'),
    ],
  ] as const)
    it(`never takes a resource that ${what} for a missing object or an invalid request (X57)`, async () => {
      await using server = await startScriptedApiServer();
      const notes = createObjectClient(server.kube, NOTES);
      for (const call of [
        () => notes.get('ns', 'a'),
        () => notes.create(aNote('a', 1)),
        () => notes.delete('ns', 'a'),
        () => notes.list(),
      ]) {
        const response = rejection(call());
        (await server.next()).json(httpStatus, body);
        expect(await response).to.include({ code: 'NotServed', retryable: true });
      }
    });

  it('creates with kind and version, and returns undefined if the name is taken', async () => {
    await using server = await startScriptedApiServer();
    const notes = createObjectClient(server.kube, NOTES);
    const created = notes.create({ metadata: { namespace: 'ns', name: 'a' } }, { fieldManager: 'me' });
    const request = await server.next();
    expect(`${request.method} ${request.url.pathname}${request.url.search}`).to.equal(
      'POST /apis/test.dev/v1/namespaces/ns/notes?fieldManager=me',
    );
    expect(request.headers['content-type']).to.equal('application/json');
    expect(JSON.parse(request.body)).to.deep.equal({
      apiVersion: 'test.dev/v1',
      kind: 'Note',
      metadata: { namespace: 'ns', name: 'a' },
    });
    request.json(201, aNote('a', 1));
    expect(await created).to.deep.equal(aNote('a', 1));
    const again = notes.create(aNote('a', 1));
    (await server.next()).json(409, status('AlreadyExists'));
    expect(await again).to.equal(undefined);
  });

  it('patches with the matching content type', async () => {
    await using server = await startScriptedApiServer();
    const notes = createObjectClient(server.kube, NOTES);
    const applied = notes.apply(
      { metadata: { namespace: 'ns', name: 'a' } },
      { fieldManager: 'me', subresource: 'status' },
    );
    const apply = await server.next();
    expect([apply.url.pathname, apply.url.search, apply.headers['content-type']]).to.deep.equal([
      '/apis/test.dev/v1/namespaces/ns/notes/a/status',
      '?fieldManager=me&force=true',
      'application/apply-patch+yaml',
    ]);
    apply.json(200, aNote('a', 2));
    expect((await applied).metadata.resourceVersion).to.equal('2');
    const merged = notes.mergePatch({ namespace: 'ns', name: 'a' }, { data: { x: null } });
    const merge = await server.next();
    expect([merge.method, merge.headers['content-type'], merge.body]).to.deep.equal([
      'PATCH',
      'application/merge-patch+json',
      '{"data":{"x":null}}',
    ]);
    merge.json(200, aNote('a', 3));
    await merged;
  });

  it('sends the read version with a replace', async () => {
    await using server = await startScriptedApiServer();
    const replaced = rejection(createObjectClient(server.kube, NOTES).replace(aNote('a', 7)));
    const request = await server.next();
    expect([request.method, JSON.parse(request.body).metadata.resourceVersion]).to.deep.equal(['PUT', '7']);
    request.json(409, status('Conflict', 'it was modified'));
    expect(await replaced).to.deep.include({
      code: 'Conflict',
      retryable: true,
      httpStatus: 409,
      message: 'PUT /apis/test.dev/v1/namespaces/ns/notes/a: 409 Conflict: it was modified',
    });
  });

  it('deletes only the given UID, and reports if there was nothing to delete', async () => {
    await using server = await startScriptedApiServer();
    const notes = createObjectClient(server.kube, NOTES);
    const deleted = notes.delete('ns', 'a', {
      uid: 'u',
      propagationPolicy: 'Background',
      gracePeriodSeconds: 0,
    });
    const request = await server.next();
    expect(JSON.parse(request.body)).to.deep.equal({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u' },
      propagationPolicy: 'Background',
      gracePeriodSeconds: 0,
    });
    request.json(200, status('Success'));
    expect(await deleted).to.equal(true);
    const other = notes.delete('ns', 'a', { uid: 'u' });
    (await server.next()).json(409, status('Conflict', 'Precondition failed: UID in precondition: u'));
    expect(await other).to.equal(false);
    const none = notes.delete('ns', 'a');
    (await server.next()).json(404, status('NotFound'));
    expect(await none).to.equal(false);
    const refused = rejection(notes.delete('ns', 'a'));
    (await server.next()).json(409, status('Conflict', 'something else'));
    expect((await refused).code).to.equal('Conflict');
  });

  it('lists all pages, and restarts once if the list was compacted', async () => {
    await using server = await startScriptedApiServer();
    const listed = createObjectClient(server.kube, RESOURCES.secrets).list({ labelSelector: 'a=b' });
    (await server.next()).list(5, [aNote('lost', 1)], 'next');
    (await server.next()).json(410, status('Expired'));
    const first = await server.next();
    expect(first.url.search).to.equal('?limit=500&labelSelector=a%3Db');
    first.list(6, [{ metadata: { namespace: 'ns', name: 'one' } }], 'next');
    (await server.next()).list(6, [{ metadata: { namespace: 'ns', name: 'two' } }]);
    expect(await listed).to.deep.equal([
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'ns', name: 'one' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'ns', name: 'two' } },
    ]);
  });

  for (const name of ['', '.', '..', 'a/b', 'a%2fb']) {
    it(`sends no request for the name '${name}'`, async () => {
      await using server = await startScriptedApiServer();
      const notes = createObjectClient(server.kube, NOTES);
      expect((await rejection(notes.get('ns', name))).code).to.equal('BadRequest');
      expect((await rejection(notes.delete('ns', name))).code).to.equal('BadRequest');
      expect(server.seen).to.deep.equal([]);
    });
  }

  it('refuses a response of another kind', async () => {
    await using server = await startScriptedApiServer();
    const response = rejection(createObjectClient(server.kube, RESOURCES.zipJobs).get('ns', 'a'));
    (await server.next()).json(200, aNote('a', 1));
    expect(await response).to.deep.include({
      code: 'InvalidResponse',
      message:
        'GET /apis/zipjobs.dev/v1alpha1/namespaces/ns/zipjobs/a: not a ZipJob: spec is missing or not an object',
    });
  });
});

describe('createKubeClient', () => {
  const quota = 'pods "a" is forbidden: exceeded quota: q, requested: pods=1';
  const cause = { field: 'spec.a', message: 'm' };
  const invalid = { causes: [{ ...cause, reason: 'r' }, { reason: 'r' }, 7] };
  const terminating = { causes: [{ reason: 'NamespaceTerminating' }] };
  for (const [httpStatus, body, want] of [
    [403, status('Forbidden', quota), { code: 'QuotaExceeded', retryable: true }],
    [
      403,
      status('Forbidden', 'ns is terminating', terminating),
      { code: 'NamespaceTerminating', retryable: false },
    ],
    [403, status('Forbidden'), { code: 'Forbidden', retryable: false }],
    [409, status('AlreadyExists'), { code: 'AlreadyExists', retryable: false }],
    [410, status('Expired'), { code: 'Gone', retryable: true }],
    [413, status('RequestEntityTooLarge'), { code: 'TooLarge', retryable: false }],
    [422, status('Invalid', 'no', invalid), { code: 'Invalid', retryable: false, causes: [cause] }],
    [
      429,
      status('TooManyRequests', 'slow', { retryAfterSeconds: 3 }),
      { code: 'TooManyRequests', retryAfterMs: 3_000 },
    ],
    [
      429,
      status('TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 }),
      { code: 'TooManyRequests', retryable: true, retryAfterMs: 1_000 },
    ],
    [405, status('MethodNotAllowed', 'update is not supported'), { code: 'BadRequest', retryable: false }],
    [500, status('InternalError'), { code: 'ServerError', retryable: true }],
    [503, 'error of a proxy', { code: 'ServerError', retryable: true }],
    [504, status('Timeout'), { code: 'Timeout', retryable: true }],
    [418, {}, { code: 'BadRequest', retryable: false }],
  ] as const) {
    it(`maps ${httpStatus} ${JSON.stringify(body).slice(0, 60)} to ${want.code} (F6)`, async () => {
      await using server = await startScriptedApiServer();
      const response = rejection(server.kube.request({ method: 'POST', path: '/x', body: {} }));
      (await server.next()).json(httpStatus, body);
      expect(await response).to.deep.include({ ...want, httpStatus });
    });
  }

  it('sends each group that it impersonates in a header of its own (X46)', async () => {
    const headers = { 'impersonate-user': 'ada', 'impersonate-group': ['devs', 'ops'] };
    await using server = await startScriptedApiServer({ credentials: () => headers });
    const response = server.kube.request({ method: 'GET', path: '/x' });
    const request = await server.next();
    expect(request.headers['impersonate-group']).to.equal('devs, ops');
    request.json(200, {});
    await response;
  });

  it('says why there are no credentials (X46)', async () => {
    const said = 'The plugin a gives no credentials: its program was not found';
    await using server = await startScriptedApiServer({
      credentials: () => {
        throw new ConfigError(said);
      },
    });
    const error = await rejection(server.kube.request({ method: 'GET', path: '/x' }));
    expect(error).to.include({ code: 'Unreachable', said });
  });

  it('keeps what a refusal says in fields', async () => {
    const user = 'zipjobs is forbidden: User "ada" cannot list resource "zipjobs"';
    const inUse = 'denied request: 3 unfinished ZipJobs use this ZipBucket [zipjobs.dev/in-use]';
    const changed = 'denied request: [zipjobs.dev/project-changed] the API may not';
    for (const [body, want] of [
      [status('Forbidden', user), { said: user, user: 'ada', mark: undefined }],
      [
        status('Forbidden', inUse),
        { said: inUse.replace(' [zipjobs.dev/in-use]', ''), user: undefined, mark: 'zipjobs.dev/in-use' },
      ],
      [
        status('Forbidden', changed),
        { said: 'denied request: the API may not', mark: 'zipjobs.dev/project-changed' },
      ],
      [
        status('NotFound', 'namespaces "a" not found', { kind: 'namespaces', name: 'a' }),
        { resource: 'namespaces' },
      ],
      [status('', KYVERNO, {}), { code: 'Forbidden', retryable: false, policy: 'validate.kyverno.svc-fail' }],
      [status('Forbidden', user), { policy: undefined }],
      [status('Invalid', OF_POLICY), { code: 'Invalid', policy: 'require-team' }],
    ] as const) {
      await using server = await startScriptedApiServer();
      const response = rejection(server.kube.request({ method: 'POST', path: '/x', body: {} }));
      (await server.next()).json(403, body);
      expect(await response).to.deep.include(want);
    }
  });

  for (const [httpStatus, reason, code] of [
    [400, 'BadRequest', 'BadRequest'],
    [400, '', 'BadRequest'],
    [401, 'Unauthorized', 'Forbidden'],
    [404, 'NotFound', 'Forbidden'],
    [404, undefined, 'Forbidden'],
    [409, 'AlreadyExists', 'Forbidden'],
    [409, 'Conflict', 'Forbidden'],
    [422, 'Invalid', 'Invalid'],
    [429, 'TooManyRequests', 'TooManyRequests'],
    [500, 'InternalError', 'Forbidden'],
    [504, 'Timeout', 'Forbidden'],
  ] as const)
    it(`takes a webhook's refusal with ${httpStatus} ${reason} for a refusal (X41)`, async () => {
      await using server = await startScriptedApiServer();
      const response = rejection(createObjectClient(server.kube, NOTES).create(aNote('ns', 1)));
      (await server.next()).json(httpStatus, status(reason ?? '', KYVERNO));
      expect(await response).to.include({ code, policy: 'validate.kyverno.svc-fail' });
    });

  for (const said of [
    "ValidatingAdmissionPolicy 'a' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=A'",
    "ValidatingAdmissionPolicy 'a' with binding 'b' denied request: failed to configure binding: paramKind kind `example.com/v1, Kind=A` not yet synced to use for admission",
    'policy "a" denied request: failed to configure policy: failed to find resource referenced by paramKind: \'example.com/v1, Kind=A\'',
  ])
    it(`repeats a call that a policy refused before it was ready: ${said.slice(0, 40)}`, async () => {
      await using server = await startScriptedApiServer();
      const response = rejection(server.kube.request({ method: 'POST', path: '/x', body: {} }));
      (await server.next()).json(422, status('Invalid', `zipjobs.dev "x" is forbidden: ${said}`));
      expect(await response).to.include({ code: 'NotServed', policy: undefined, retryable: true });
    });

  it('does not repeat a call that a policy refused because its parameters do not exist', async () => {
    await using server = await startScriptedApiServer();
    const response = rejection(server.kube.request({ method: 'POST', path: '/x', body: {} }));
    const said =
      "ValidatingAdmissionPolicy 'a' with binding 'b' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    (await server.next()).json(422, status('Invalid', said));
    expect(await response).to.include({ code: 'Invalid', policy: 'a', retryable: false });
  });

  it('takes a webhook that does not respond for a fault of the cluster (X41)', async () => {
    await using server = await startScriptedApiServer();
    const response = rejection(server.kube.request({ method: 'POST', path: '/x', body: {} }));
    const said =
      'Internal error occurred: failed calling webhook "validate.kyverno.svc-fail": context deadline exceeded';
    (await server.next()).json(500, status('InternalError', said));
    expect(await response).to.include({ code: 'ServerError', policy: undefined, retryable: true });
  });

  for (const [message, want] of [
    [
      'Invalid value: 99: spec.a.b in body should be less than or equal to 10',
      'should be less than or equal to 10',
    ],
    ['Invalid value: "x: y": spec.a.b in body should match \'^a$\'', "should match '^a$'"],
    [
      'Invalid value: "x: \\" y": the end must be later than the start',
      'the end must be later than the start',
    ],
    ['Invalid value: {"a":1}: not both: a and b', 'not both: a and b'],
    ['Unsupported value: "x": supported values: "a"', 'supported values: "a"'],
    ['Required value', 'Required value'],
  ] as const)
    it(`repeats neither the field nor the value of ${message}`, async () => {
      await using server = await startScriptedApiServer();
      const response = rejection(server.kube.request({ method: 'POST', path: '/x', body: {} }));
      (await server.next()).json(422, status('Invalid', 'no', { causes: [{ field: 'spec.a.b', message }] }));
      expect(await response).to.deep.include({ causes: [{ field: 'spec.a.b', message: want }] });
    });

  it('stops a call at the timeout', async () => {
    await using server = await startScriptedApiServer({ requestTimeoutMs: 50 });
    const error = await rejection(server.kube.request({ method: 'POST', path: '/slow' }));
    expect(error).to.deep.include({
      code: 'Timeout',
      httpStatus: undefined,
      message: 'POST /slow: no response from the API server within 50 ms',
    });
    await until('the call to be closed', () => server.seen[0]?.closed);
  });

  it("stops a call with the caller's signal and its reason", async () => {
    await using server = await startScriptedApiServer();
    const abort = new AbortController();
    const call = server.kube.request({ method: 'GET', path: '/slow', signal: abort.signal });
    const outcome = call.catch((error: unknown) => error);
    const request = await server.next();
    abort.abort();
    expect(isAbort(await outcome)).to.equal(true);
    await until('the call to be closed', () => request.closed);
    const late = await server.kube.request({ method: 'GET', path: '/', signal: abort.signal }).catch(isAbort);
    expect(late).to.equal(true);
  });

  it('retries a read once after a reset, but not a write', async () => {
    await using server = await startScriptedApiServer();
    const read = server.kube.request({ method: 'GET', path: '/x' });
    (await server.next()).reset();
    (await server.next()).json(200, { fine: true });
    expect(await read).to.deep.equal({ fine: true });
    const write = rejection(server.kube.request({ method: 'POST', path: '/x', body: {} }));
    (await server.next()).reset();
    expect((await write).code).to.equal('Unreachable');
    expect(server.seen.length).to.equal(3);
  });

  it('retries once after 401 with a rotated token, but not with the same token', async () => {
    let token = 'one';
    await using server = await startScriptedApiServer({
      credentials: () => ({ authorization: `Bearer ${token}` }),
    });
    const rotated = server.kube.request({ method: 'POST', path: '/x', body: {} });
    const first = await server.next();
    token = 'two';
    first.json(401, status('Unauthorized'));
    const second = await server.next();
    expect(second.headers.authorization).to.equal('Bearer two');
    second.json(200, {});
    await rotated;
    const refused = rejection(server.kube.request({ method: 'GET', path: '/x' }));
    (await server.next()).json(401, status('Unauthorized'));
    expect((await refused).code).to.equal('Unauthorized');
    expect(server.seen.length).to.equal(3);
  });

  it('reuses its connections', async () => {
    await using server = await startScriptedApiServer();
    for (let calls = 0; calls < 20; calls += 1) {
      const call = server.kube.request({ method: 'GET', path: '/x' });
      (await server.next()).json(200, {});
      await call;
    }
    expect(server.openSockets).to.be.at.most(2);
  });

  it('reports a response that is not JSON', async () => {
    await using server = await startScriptedApiServer();
    const response = rejection(server.kube.request({ method: 'GET', path: '/x' }));
    (await server.next()).raw('<html>');
    server.seen[0]?.end();
    expect((await response).code).to.equal('InvalidResponse');
  });

  it('reports an unreachable server', async () => {
    const [port = 0] = await freePorts(1);
    const access = {
      server: `http://127.0.0.1:${port}`,
      credentials: async () => ({ headers: {}, tls: {} }),
    };
    await using kube = createKubeClient({ access, requestTimeoutMs: 1_000 });
    const error = await rejection(kube.request({ method: 'GET', path: '/x' }));
    expect(error.code).to.equal('Unreachable');
    expect(error.message).to.include('ECONNREFUSED');
  });
});
