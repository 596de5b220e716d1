/**
 * Receives webhooks with Express: npm install express standardwebhooks && node receive-webhook-express.mjs
 * Set WEBHOOK_SECRET to the secret of the project (whsec_...).
 */
import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const app = express();

// The signature covers the received bytes, so they are read before any parsing.
app.post('/webhook', express.raw({ type: 'application/json', limit: '64kb' }), (request, response) => {
  let event;
  try {
    event = webhook.verify(request.body, request.headers);
  } catch {
    response.sendStatus(401);
    return;
  }
  // The same event may be delivered more than once: store webhook-id, and skip the ids that you know.
  console.log(request.headers['webhook-id'], event.type, event.zip_id);
  response.sendStatus(204);
});

app.listen(Number(process.env.PORT ?? 3000));
