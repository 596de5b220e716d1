import { expect } from 'chai';
import { envOf, find, podOf, refusalOf, render } from './render.ts';

const URL = 'rediss://redis.example.com:6379/2';

const ON = { 'dashboard.enabled': true };

async function redisEnv(
  values: Record<string, unknown>,
  component = 'api',
): Promise<Record<string, unknown>> {
  const env = envOf(await render({ ...ON, ...values }), component);
  const own = [...env].filter(([name]) => name.startsWith('REDIS_'));
  return Object.fromEntries(own.map(([name, { value, valueFrom }]) => [name, value ?? valueFrom]));
}

function fromSecret(key: string, more: Record<string, unknown> = { optional: true }) {
  return {
    secretKeyRef: { name: 'redis-login', key, ...more },
  };
}

describe('the Redis settings of the chart', function () {
  this.timeout(30 * 60_000);

  it('are empty by default', async () => {
    expect(await redisEnv({})).to.deep.equal({});
  });

  it('accept a URL in the values and credentials in a Secret', async () => {
    expect(await redisEnv({ 'redis.url': URL, 'redis.existingSecret': 'redis-login' })).to.deep.equal({
      REDIS_URL: URL,
      REDIS_USERNAME: fromSecret('username'),
      REDIS_PASSWORD: fromSecret('password'),
    });
  });

  it('are the same for the dashboard', async () => {
    const values = { 'redis.url': URL, 'redis.existingSecret': 'redis-login' };
    expect(await redisEnv(values, 'dashboard')).to.deep.equal(await redisEnv(values));
  });

  it('accept a Secret alone', async () => {
    const env = await redisEnv({ 'redis.existingSecret': 'redis-login' });
    expect(env['REDIS_URL']).to.deep.equal(fromSecret('url', {}));
  });

  it('accept a certificate authority', async () => {
    const values = { 'redis.url': URL, 'redis.caSecret': 'redis-ca' };
    const objects = await render({ ...ON, ...values });
    for (const component of ['api', 'dashboard']) {
      const env = await redisEnv(values, component);
      expect(env).to.include({ REDIS_CA_FILE: '/etc/zipjobs/redis-ca/ca.crt' });
      const pod = podOf(find(objects, 'Deployment', `zipjobs-${component}`));
      expect(pod.volumes?.[0]).to.deep.include({
        name: 'redis-ca',
        secret: { secretName: 'redis-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
      });
    }
  });

  it('refuse credentials in the values', async () => {
    for (const url of ['rediss://:hunter2@redis', 'http://redis'])
      expect(await refusalOf({ 'redis.url': url })).to.contain('redis');
  });

  it('are required for more than one replica of the dashboard', async () => {
    const error = await refusalOf({ ...ON, 'dashboard.replicas': 2 });
    expect(error).to.contain('dashboard.replicas is more than 1').and.contain('set redis.url');
    await render({ ...ON, 'dashboard.replicas': 2, 'redis.url': URL });
    await render({ 'dashboard.replicas': 2 });
  });
});
