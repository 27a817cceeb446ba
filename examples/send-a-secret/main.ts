import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createEngine, parsePolicyDocument } from "@toolwright/engine";
import { createMemorySecretStore } from "@toolwright/engine/ports";
import { httpCapability } from "@toolwright/sandbox";
import orderList from "./list-orders.tool.ts";

// A shop that answers only those who know the key, and a stranger beside it.
const received: (string | undefined)[] = [];
const shop = createServer((request, response) => {
  received.push(request.headers["x-shop-key"]?.toString());
  response.end(JSON.stringify({ orders: [`for ${request.headers["x-shop-key"]}`] }));
}).listen(0, "127.0.0.1");
const stranger = createServer((_, response) => response.end('{"orders":[]}')).listen(0, "127.0.0.1");
await Promise.all([once(shop, "listening"), once(stranger, "listening")]);
const [home, elsewhere] = [shop, stranger].map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`) as [
  string,
  string,
];

// #region bind
const secrets = createMemorySecretStore();
await secrets.set({ tenant: "acme", name: "SHOP_KEY" }, "the-key-of-the-shop", { hosts: [home], header: "x-shop-key" });
const engine = createEngine({ tools: [orderList], capabilities: [httpCapability({ secrets })], secrets, policy: [allowLoopback()] });
// #endregion

const scope = engine.scope({ tenant: "acme", actor: { kind: "agent", id: "clerk" }, permissions: [], door: "mcp" }, { session: "s1" });
const listed = await scope.invoke("order_list", { shop: home });
assert.deepEqual(received, ["the-key-of-the-shop"]);
// The shop sent the key back: nobody sees it all the same.
assert.deepEqual(listed.status === "done" && listed.output, { orders: ["for [redacted]"] });

const refused = await scope.invoke("order_list", { shop: elsewhere });
assert.equal(refused.status === "failed" && refused.error.code, "url_refused");
assert.match(JSON.stringify(refused), /may not be sent to http:/);

await engine.close();
shop.close();
stranger.close();
console.log("send-a-secret: a request carried a key that its tool never saw, to one host and no other.");

function allowLoopback() {
  const allow = [home, elsewhere].map((origin) => new URL(origin).host);
  return { tier: "platform" as const, document: parsePolicyDocument({ version: 1, network: { allow, allow_ranges: ["127.0.0.0/8"] } }) };
}
