import { expect } from 'chai';
import { AdministrationError } from '#administration/administration-error.ts';
import { explainKubeError } from '#administration/explain-kube-error.ts';
import { KubeError, type KubeErrorOptions } from '#runtime/kube/kube-error.ts';

const ATTEMPT = {
  verb: 'create',
  resource: 'ziptokens.zipjobs.dev',
  namespace: 'acme',
  name: 'backend',
} as const;

const explain = (message: string, code: KubeErrorOptions['code']): AdministrationError => {
  const error = explainKubeError(ATTEMPT, new KubeError(message, { code }));
  if (error instanceof AdministrationError) return error;
  throw error;
};

describe('explainKubeError', () => {
  it('names the verb, resource, namespace and user of a missing permission', () => {
    const { code, message } = explain(
      'POST /apis/x: 403 Forbidden: ziptokens.zipjobs.dev is forbidden: User "jane" cannot create resource "ziptokens" in API group "zipjobs.dev" in the namespace "acme"',
      'Forbidden',
    );
    expect(code).to.equal('Forbidden');
    expect(message).to.match(/^User "jane" cannot create ziptokens\.zipjobs\.dev in namespace acme\. Ask /);
  });

  it('repeats the message of an admission policy', () => {
    const { code, message } = explain(
      'POST /apis/x: 403 Forbidden: ziptokens.zipjobs.dev "backend" is forbidden: ValidatingAdmissionPolicy \'p\' denied request: not on Sundays',
      'Forbidden',
    );
    expect(code).to.equal('Refused');
    expect(message).to.match(/A cluster policy rejected .* not on Sundays$/);
  });

  it('suggests the next step', () => {
    expect(explain('GET /x: the connection failed (ECONNREFUSED)', 'Unreachable')).to.deep.include({
      code: 'Unreachable',
      message:
        'Cannot create ziptokens.zipjobs.dev backend in namespace acme: the connection failed (ECONNREFUSED). Check the cluster address and the network, then try again',
    });
    expect(explain('GET /x: 401 Unauthorized: Unauthorized', 'Unauthorized').message).to.contain(
      'Sign in again',
    );
    expect(explain('GET /x: 404 NotServed: unknown', 'NotServed').message).to.contain(
      'install the chart first',
    );
    expect(explain('PUT /x: 409 Conflict: changed', 'Conflict').message).to.contain('try again');
  });

  it('returns every other error unchanged', () => {
    const error = new TypeError('x');
    expect(explainKubeError(ATTEMPT, error)).to.equal(error);
  });
});
