// A person of one tenant floods a server with one kind of request after the other, while a person of another tenant reads a file: `npm run flood -- --help`.
// The exit code is 1 when a limit is missed. Everything stays on loopback.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type FloodKind, type FloodRequest, floodKinds, writeFloodFiles } from "./flood-kinds.ts";

const names = floodKinds.map(({ name }) => name).join(", ");
const help = `Usage: npm run flood -- [options]

Floods a server with requests of one tenant, and measures another tenant's file_read and /healthz.

  --seconds N   of each flood, and at most 20 of the quiet time before (default 60)
  --kind NAME   may be repeated: ${names} (default all)
  --json        prints the report as JSON
  --help        prints this text`;

/** Milliseconds: the answer of /healthz, and of a file_read where twice its quiet time is less. */
const [mostHealthMs, leastReadMs] = [250, 50];
const shim = fileURLToPath(new URL("../../packages/cli/bin/toolwright.js", import.meta.url));

process.exitCode = await main();

async function main(): Promise<number> {
  const asked = readOptions();
  if ("text" in asked) {
    (asked.code === 0 ? console.log : console.error)(asked.text);
    return asked.code;
  }
  const server = await startFlooded();
  try {
    const quiet = await probe(server, Math.min(20, asked.seconds));
    const limitMs = Math.max(leastReadMs, 2 * quiet.read.p95);
    const rows = [];
    for (const kind of asked.kinds) {
      const row = judge(kind, await floodWith(kind, server, asked.seconds), limitMs);
      rows.push(row);
      if (!asked.json) console.log(describe(row));
      // What is under way ends before the next kind.
      await sleep(2_000);
    }
    const report = { ok: rows.every(({ ok }) => ok), processors: availableParallelism(), load: loadavg()[0], quiet, limitMs, rows };
    console.log(
      asked.json
        ? JSON.stringify(report)
        : `quiet: read p50 ${quiet.read.p50} ms, p95 ${quiet.read.p95} ms, healthz at most ${quiet.healthMs} ms; limit of reads ${limitMs} ms; ${report.ok ? "ok" : "MISSED"}`,
    );
    return report.ok ? 0 : 1;
  } finally {
    await server.stop();
  }
}

interface FloodOptions {
  readonly seconds: number;
  readonly kinds: readonly FloodKind[];
  readonly json: boolean;
}

function readOptions(): FloodOptions | { readonly text: string; readonly code: number } {
  const string = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  try {
    const options = { seconds: { ...string, default: "60" }, kind: { ...string, multiple: true }, json: flag, help: flag } as const;
    const { values } = parseArgs({ options });
    if (values.help) return { text: help, code: 0 };
    const seconds = Number(values.seconds);
    const kinds = values.kind ? floodKinds.filter(({ name }) => values.kind?.includes(name)) : floodKinds;
    if (!(seconds >= 1 && seconds <= 3_600) || kinds.length < (values.kind?.length ?? 1)) return { text: help, code: 2 };
    return { seconds, kinds, json: values.json };
  } catch {
    return { text: help, code: 2 };
  }
}

/** A `toolwright serve` in a process of its own, with a key of each tenant. */
async function startFlooded() {
  const root = mkdtempSync(join(tmpdir(), "toolwright-flood-"));
  const tenants = join(root, "tenants");
  writeFloodFiles(join(tenants, "flooder"));
  writeFloodFiles(join(tenants, "other"));
  writeFileSync(join(tenants, "other/note.txt"), "A note.\n");
  writeFileSync(join(root, "policy.json"), JSON.stringify({ version: 1, autonomy: "full", network: { allow: ["127.0.0.1:9"] } }));
  const { PATH, DATABASE_URL } = process.env;
  const env = {
    PATH,
    DATABASE_URL,
    HOME: root,
    TOOLWRIGHT_STATE: root,
    TOOLWRIGHT_WORKSPACE: join(root, "workspace"),
    TOOLWRIGHT_TENANT_WORKSPACES: tenants,
  };
  const start = (...words: string[]) => spawn(process.execPath, [shim, ...words], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  const run = async (...words: string[]) => {
    const child = start(...words);
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`toolwright ${words.join(" ")} ended with ${code}.`);
    return said.trim();
  };
  const keyOf = async (tenant: string, ...permissions: string[]) => {
    await run("tenants", "create", tenant);
    const made: { readonly key: string } = JSON.parse(
      await run("keys", "create", "flood", "--tenant", tenant, "--json", "--permission", ...permissions),
    );
    return made.key;
  };
  const flooder = await keyOf("flooder", "*.*.*", "knowledge:manage", "catalogue:manage");
  const other = await keyOf("other", "*.*.read");
  const child = start("serve", "--port", "0", "--policy", "policy.json");
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk;
      const [, origin] = /MCP +(http:\/\/[^/\s]+)/.exec(said) ?? [];
      if (origin !== undefined) resolve(origin);
    });
    child.once("exit", () => reject(new Error("The server ended before it served.")));
  });
  return {
    ...{ url, flooder, other },
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
      rmSync(root, { recursive: true, force: true });
    },
  };
}

type Flooded = Awaited<ReturnType<typeof startFlooded>>;

/** Status of the answer, once its body is read. */
async function send({ url }: Flooded, key: string, { method, path, body, type = "application/json" }: FloodRequest, signal?: AbortSignal) {
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": type }) };
  const text = typeof body === "string" ? body : body && JSON.stringify(body);
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers,
    ...(text !== undefined && { body: text }),
    ...(signal && { signal }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Reads a file as the other tenant and asks whether the process serves, one after the other, for so many seconds. */
async function probe(server: Flooded, seconds: number) {
  const [reads, health]: [number[], number[]] = [[], []];
  let failed = 0;
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    let from = performance.now();
    const status = await send(server, server.other, { method: "POST", path: "/tools/file_read/call", body: { path: "note.txt" } });
    if (status !== 200) failed += 1;
    reads.push(performance.now() - from);
    from = performance.now();
    await (await fetch(`${server.url}/healthz`)).arrayBuffer();
    health.push(performance.now() - from);
    await sleep(10);
  }
  reads.sort((a, b) => a - b);
  const at = (share: number) => round(reads[Math.min(reads.length - 1, Math.floor(reads.length * share))] ?? 0);
  return { read: { p50: at(0.5), p95: at(0.95), count: reads.length, failed }, healthMs: round(Math.max(...health)) };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

async function floodWith(kind: FloodKind, server: Flooded, seconds: number) {
  const answers = new Map<string, number>();
  const over = new AbortController();
  let number = 0;
  const keepOn = async () => {
    while (!over.signal.aborted) {
      const status = await send(server, server.flooder, kind.request(number++), over.signal).catch(() => "broken off");
      if (over.signal.aborted) return;
      answers.set(`${status}`, (answers.get(`${status}`) ?? 0) + 1);
    }
  };
  const flood = Array.from({ length: kind.inFlight }, keepOn);
  const probed = await probe(server, seconds);
  over.abort();
  await Promise.all(flood);
  return { ...probed, answers: Object.fromEntries(answers) };
}

function judge({ name }: FloodKind, { read, healthMs, answers }: Awaited<ReturnType<typeof floodWith>>, limitMs: number) {
  const ok = read.failed === 0 && read.p95 <= limitMs && healthMs <= mostHealthMs;
  return { name, ok, read, healthMs, answers };
}

function describe({ name, ok, read, healthMs, answers }: ReturnType<typeof judge>): string {
  const counts = Object.entries(answers).map(([status, count]) => `${count} of ${status}`);
  const failed = read.failed > 0 ? `, ${read.failed} failed` : "";
  return `${ok ? "ok    " : "MISSED"} ${name}: read p50 ${read.p50} ms, p95 ${read.p95} ms (${read.count}${failed}), healthz at most ${healthMs} ms; flood: ${counts.join(", ")}`;
}
