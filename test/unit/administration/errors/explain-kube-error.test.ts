import { expect } from 'chai';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { explainKubeError } from '#administration/errors/explain-kube-error.ts';
import { KubeError, type KubeErrorCode, type KubeErrorOptions } from '#runtime/kube/client/kube-error.ts';

const ATTEMPT = {
  verb: 'create',
  resource: 'ziptokens.zipjobs.dev',
  namespace: 'acme',
  name: 'backend',
} as const;

function explain(said: string, options: KubeErrorOptions): AdministrationError {
  const error = explainKubeError(ATTEMPT, new KubeError(said, { attempt: 'GET /x', ...options }));
  if (error instanceof AdministrationError) return error;
  throw error;
}

describe('explainKubeError', () => {
  it('names the verb, resource, namespace and user of a missing permission', () => {
    const { code, message } = explain(
      'ziptokens.zipjobs.dev is forbidden: User "jane" cannot create resource "ziptokens" in API group "zipjobs.dev" in the namespace "acme"',
      { code: 'Forbidden', user: 'jane' },
    );
    expect(code).to.equal('Forbidden');
    expect(message).to.match(/^User "jane" cannot create ziptokens\.zipjobs\.dev in namespace acme\. Ask /);
  });

  it('repeats the message of an admission policy', () => {
    const { code, message } = explain(
      'ziptokens.zipjobs.dev "backend" is forbidden: ValidatingAdmissionPolicy \'p\' denied request: not on Sundays',
      { code: 'Forbidden' },
    );
    expect(code).to.equal('Refused');
    expect(message).to.match(/A cluster policy rejected .* not on Sundays$/);
  });

  it('suggests the next step', () => {
    expect(explain('the connection failed (ECONNREFUSED)', { code: 'Unreachable' })).to.deep.include({
      code: 'Unreachable',
      message:
        'Cannot create ziptokens.zipjobs.dev backend in namespace acme: the connection failed (ECONNREFUSED). Check the cluster address and the network, then try again',
    });
    expect(explain('Unauthorized', { code: 'Unauthorized' }).message).to.contain('Sign in again');
    expect(explain('unknown', { code: 'NotServed' }).message).to.contain('install the chart first');
    expect(explain('changed', { code: 'Conflict' }).message).to.contain('try again');
  });

  /** A new code of KubeError does not compile without a row. */
  const meanings: Readonly<Record<KubeErrorCode, readonly [code: string, retryable: boolean]>> = {
    NotFound: ['NotFound', false],
    NotServed: ['Unreachable', true],
    AlreadyExists: ['AlreadyExists', false],
    Conflict: ['Conflict', true],
    Forbidden: ['Refused', false],
    Unauthorized: ['Unauthorized', false],
    Invalid: ['InvalidInput', false],
    BadRequest: ['InvalidInput', false],
    TooLarge: ['InvalidInput', false],
    TooManyRequests: ['Unreachable', true],
    Gone: ['Unreachable', true],
    QuotaExceeded: ['Refused', false],
    NamespaceTerminating: ['Refused', false],
    ServerError: ['Unreachable', true],
    Timeout: ['Unreachable', true],
    Unreachable: ['Unreachable', true],
    InvalidResponse: ['Unreachable', true],
  };
  for (const [given, expected] of Object.entries(meanings) as [KubeErrorCode, readonly [string, boolean]][])
    it(`explains ${given} as ${expected[0]}, which a retry ${expected[1] ? 'may' : 'does not'} mend (UI2)`, () => {
      const { code, retryable } = explain('why', { code: given });
      expect([code, retryable]).to.deep.equal(expected);
    });

  it('says to try again after a failure of the API server, and keeps its Retry-After (UI2)', () => {
    const options = { attempt: 'GET /x', code: 'ServerError', retryAfterMs: 7_000 } as const;
    const failure = new KubeError('apiserver is shutting down', options);
    const { message, retryAfterMs } = explainKubeError(ATTEMPT, failure) as AdministrationError;
    expect(message).to.match(/in namespace acme: apiserver is shutting down\. Try again in a moment$/);
    expect(retryAfterMs).to.equal(7_000);
  });

  it('does not ask for another input when a list is too large (UI9)', () => {
    const failure = new KubeError('the list is larger than 9 bytes', { attempt: 'GET /x', code: 'TooLarge' });
    const { message, code } = explainKubeError({ ...ATTEMPT, verb: 'list' }, failure) as AdministrationError;
    expect(code).to.equal('Refused');
    expect(message).to.match(/the list is larger than 9 bytes\. Delete objects that are no longer needed/);
  });

  it('returns every other error unchanged', () => {
    const error = new TypeError('x');
    expect(explainKubeError(ATTEMPT, error)).to.equal(error);
  });
});
