import { expect } from 'chai';
import { dashboardOrigin, historyToken } from '#cli/session.ts';

describe('dashboardOrigin', () => {
  it('prefers the option to the environment', () => {
    const env = { ZIPJOBS_DASHBOARD_URL: 'https://env.example' };
    expect(dashboardOrigin(undefined, env)).to.equal('https://env.example');
    expect(dashboardOrigin('https://option.example:8443/', env)).to.equal('https://option.example:8443');
  });

  it('allows plain HTTP to this machine only', () => {
    for (const url of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])
      expect(dashboardOrigin(url, {})).to.equal(url);
    for (const url of ['http://dashboard.example', 'http://127.0.0.1.example', 'http://10.0.0.1'])
      expect(() => dashboardOrigin(url, {}), url).to.throw('must start with https://');
  });

  it('refuses anything but an origin, without repeating it', () => {
    for (const url of [
      'https://user:s3cret@a.example',
      'https://a.example/s3cret',
      'https://a.example/?s3cret',
      'ftp://s3cret',
      's3cret',
    ])
      expect(() => dashboardOrigin(url, {}), url)
        .to.throw('The URL of the dashboard is invalid')
        .with.property('message')
        .that.does.not.contain('s3cret');
  });

  it('says what to set when nothing is', () => {
    expect(() => dashboardOrigin(undefined, {})).to.throw(/Set --dashboard or ZIPJOBS_DASHBOARD_URL/);
  });
});

describe('historyToken', () => {
  function kubeconfig(headers: Readonly<Record<string, string>>) {
    return () => Promise.resolve({ headers });
  }
  function failure(promise: Promise<string>): Promise<Error> {
    return promise.then(
      () => new Error('no error'),
      (error: Error) => error,
    );
  }

  it('is the token of the kubeconfig, unless the environment has one', async () => {
    const credentials = kubeconfig({ authorization: 'Bearer from-kubeconfig' });
    expect(await historyToken(credentials, {})).to.equal('from-kubeconfig');
    expect(await historyToken(credentials, { ZIPJOBS_DASHBOARD_TOKEN: 'given' })).to.equal('given');
  });

  it('is not that of a kubeconfig that impersonates another user (X46)', async () => {
    const credentials = kubeconfig({ authorization: 'Bearer own', 'impersonate-user': 'ada' });
    expect((await failure(historyToken(credentials, {}))).message)
      .to.contain('impersonates a user')
      .and.to.contain('kubectl create token');
    expect(await historyToken(credentials, { ZIPJOBS_DASHBOARD_TOKEN: 'given' })).to.equal('given');
  });

  it('says how to create one for a kubeconfig with a client certificate or a password', async () => {
    for (const headers of [{}, { authorization: 'Basic dXNlcjpwYXNz' }]) {
      const { message } = await failure(historyToken(kubeconfig(headers as Record<string, string>), {}));
      expect(message).to.contain('kubectl create token').and.not.contain('dXNlcjpwYXNz');
    }
  });

  it('refuses a text that could end the header, without repeating it', async () => {
    const { message } = await failure(historyToken(kubeconfig({}), { ZIPJOBS_DASHBOARD_TOKEN: 'a\r\nb' }));
    expect(message).to.contain('ZIPJOBS_DASHBOARD_TOKEN is not a token').and.not.contain('\n');
  });
});
