/**
 * Receives webhooks with Koa: npm install koa raw-body standardwebhooks && node receive-webhook-koa.mjs
 * Set WEBHOOK_SECRET to the secret of the project (whsec_...).
 */
import Koa from 'koa';
import getRawBody from 'raw-body';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const app = new Koa();

app.use(async (ctx) => {
  ctx.assert(ctx.method === 'POST' && ctx.path === '/webhook', 404);
  // The signature covers the received bytes, so they are read before any parsing.
  const body = await getRawBody(ctx.req, { limit: '64kb' });
  let event;
  try {
    event = webhook.verify(body, ctx.headers);
  } catch {
    ctx.throw(401);
  }
  // The same event may be delivered more than once: store webhook-id, and skip the ids that you know.
  console.log(ctx.get('webhook-id'), event.type, event.zip_id);
  ctx.status = 204;
});

app.listen(Number(process.env.PORT ?? 3000));
