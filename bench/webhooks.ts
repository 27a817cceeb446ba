import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startTestServer } from "@toolwright/postgres/testing";
import { Webhook } from "standardwebhooks";
import { Place } from "../test/e2e/run-cli.ts";
import { startServer } from "../test/e2e/served.ts";
import { median, medianRatio, type Row } from "./measure.ts";

const mostMs = 200;
const rounds = 5;
const webhooksOfARound = 40;
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const webhook = new Webhook(secret);
let sent = 0;

/**
 * From a signed webhook to its 202, while the same process has agents answer those before: beside a route that verifies it with the package of Standard Webhooks,
 * and keeps nothing.
 */
export async function measure(): Promise<readonly Row[]> {
  const server = await startTestServer();
  try {
    return [...(await compare("embedded", {})), ...(await compare("PostgreSQL", { DATABASE_URL: server.url }))];
  } finally {
    await server.stop();
  }
}

async function compare(store: string, env: NodeJS.ProcessEnv): Promise<readonly Row[]> {
  const place = await Place.make("embedded");
  try {
    const sides = { ours: await openOurs(place, env), bare: await openBare(place) };
    for (const address of Object.values(sides)) await sendRound(address, 1);
    return [await rowOf("one after another", 1, { store, ...sides }), await rowOf("8 at once", 8, { store, ...sides })];
  } finally {
    await place.remove();
  }
}

interface Sides {
  readonly store: string;
  readonly ours: string;
  readonly bare: string;
}

async function rowOf(words: string, atOnce: number, { store, ours, bare }: Sides): Promise<Row> {
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.ours.push(await sendRound(ours, atOnce));
    times.bare.push(await sendRound(bare, atOnce));
  }
  const typical = median(times.ours);
  return {
    ...{ name: `p95 from webhook to 202, ${words}, ${store}`, unit: "ms", target: `at most ${mostMs} ms` },
    ...{ ours: typical, peer: median(times.bare), peerName: "Hono verifies", ratio: medianRatio(times.ours, times.bare) },
    holds: typical <= mostMs,
  };
}

async function openOurs(place: Place, env: NodeJS.ProcessEnv): Promise<string> {
  const { origin } = new URL((await startServer(place, [], env)).mcp);
  const ask = async (method: string, path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${origin}/api${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { readonly id: string };
  };
  await ask("PUT", "/secrets/bench_hook", { value: secret });
  const { id } = await ask("POST", "/hooks", { name: "bench", agent: "assistant", secret: "bench_hook" });
  return `${origin}/api/hooks/${id}`;
}

async function openBare(place: Place): Promise<string> {
  const child = place.startNode([fileURLToPath(new URL("./webhooks/bare-webhooks.ts", import.meta.url)), secret]);
  const [origin] = (await once(child.stdout, "data")) as [Buffer];
  return `${String(origin).trim()}/api/hooks/bench`;
}

/** The p95 of a round, in milliseconds. */
async function sendRound(address: string, atOnce: number): Promise<number> {
  const times: number[] = [];
  let left = webhooksOfARound;
  const sender = async () => {
    while (left-- > 0) times.push(await sendOne(address));
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
}

async function sendOne(address: string): Promise<number> {
  const id = `msg_${sent++}`;
  const body = JSON.stringify({ type: "order.paid", data: { order: sent, words: "A line of text. ".repeat(20) } });
  const at = new Date();
  const signed = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": webhook.sign(id, at, body),
  };
  const startedAt = performance.now();
  const response = await fetch(address, { method: "POST", body, headers: { "content-type": "application/json", ...signed } });
  await response.arrayBuffer();
  if (response.status !== 202) throw new Error(`A webhook was answered with ${response.status}.`);
  return performance.now() - startedAt;
}
