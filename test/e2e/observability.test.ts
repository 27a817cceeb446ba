import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { finish, Place } from "./run-cli.ts";
import { callByMcp, startServer } from "./served.ts";

let place: Place;
beforeEach(async () => {
  place = await Place.make("server");
});
afterEach(() => place.remove());

/** A collector that keeps what it is sent: OTLP over HTTP. */
async function openCollector() {
  const received: { readonly path: string; readonly body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ path: request.url ?? "", body: Buffer.concat(chunks) });
    response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

test("a server traces its calls to a collector, counts them for Prometheus, says whether it is ready, and logs as JSON", async () => {
  const collector = await openCollector();
  const said: string[] = [];
  const served = await startServer(
    place,
    [],
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none",
      TOOLWRIGHT_LOG_FORMAT: "json",
    },
    (text) => said.push(text),
  );
  await callByMcp(served, "file_write", { path: "note.txt", content: "a-secret-of-mine" });
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${served.listens}${path}`, { headers });
  const metrics = await (await get("/metrics")).text();
  expect(metrics).toContain('toolwright_calls_total{tool="file_write",door="mcp",status="done"} 1');
  expect(metrics).toMatch(/^process_resident_memory_bytes \d/m);
  expect((await get("/metrics", { "x-forwarded-for": "203.0.113.9" })).status).toBe(403);
  expect((await fetch(`${served.listens}/metrics`, { method: "POST" })).status).toBe(405);
  expect(await (await get("/healthz")).text()).toBe("ok\n");
  const ready = (await (await get("/readyz")).json()) as object;
  expect(ready).toMatchObject({ status: "ok", store: "ok", calls: "ok", migrations: "ok", jobs: "ok", sandbox: expect.any(String) });
  expect(await (await get("/health")).json()).toEqual(ready);
  const ended = finish(served.child);
  served.child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
  collector.close();
  const traces = collector.received.filter(({ path }) => path === "/v1/traces").map(({ body }) => body.toString("latin1"));
  expect(traces.join()).toContain("execute_tool file_write");
  expect(traces.join()).not.toContain("a-secret-of-mine");
  for (const line of said.join("").split("\n")) if (line.startsWith("{")) expect(JSON.parse(line)).toHaveProperty("level");
});

test("with a token, metrics are for whoever bears it", async () => {
  const served = await startServer(place, [], { TOOLWRIGHT_METRICS_TOKEN: "scraped-every-15-seconds" });
  const get = async (authorization?: string) =>
    (await fetch(`${served.listens}/metrics`, { headers: authorization === undefined ? {} : { authorization } })).status;
  expect([await get(), await get("Bearer wrong"), await get("Bearer scraped-every-15-seconds")]).toEqual([401, 401, 200]);
});
