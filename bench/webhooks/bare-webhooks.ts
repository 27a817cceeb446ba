import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";

/** node bare-webhooks.ts SECRET: verifies and answers, and keeps nothing. Prints its origin. */
const webhook = new Webhook(process.argv[2] ?? "");
const app = new Hono().post("/api/hooks/:hook", async (context) => {
  try {
    webhook.verify(await context.req.text(), context.req.header());
  } catch {
    return context.body(null, 404);
  }
  return context.json({}, 202);
});
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
