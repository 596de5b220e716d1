"""Receives webhooks with FastAPI: pip install fastapi uvicorn standardwebhooks && python receive_webhook_fastapi.py

Set WEBHOOK_SECRET to the secret of the project (whsec_...).
"""

import os

import uvicorn
from fastapi import FastAPI, Request, Response
from standardwebhooks.webhooks import Webhook

MAX_BODY_BYTES = 65_536

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
app = FastAPI()


@app.post("/webhook")
async def receive(request: Request) -> Response:
    # The signature covers the received bytes, so they are read before any parsing.
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return Response(status_code=413)
    try:
        event = webhook.verify(body, dict(request.headers))
    except Exception:
        return Response(status_code=401)
    # The same event may be delivered more than once: store webhook-id, and skip the ids that you know.
    print(request.headers["webhook-id"], event["type"], event.get("zip_id"), flush=True)
    return Response(status_code=204)


uvicorn.run(app, port=int(os.environ.get("PORT", "3000")))
