// A person of one tenant floods a server with one kind of request after the other, while a person of another tenant reads a file: `npm run flood -- --help`.
// The exit code is 1 when a limit is missed, or a flood was none. Everything stays on loopback.
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { type FloodKind, floodKinds } from "./flood-kinds.ts";
import { type FloodedServer, startFlooded } from "./flooded-server.ts";
import type { FlooderData } from "./flooder.ts";
import { type Flooded, faultsOf, limitOfReads, type Probed } from "./judge-flood.ts";
import { probe } from "./probe.ts";
import { send } from "./send.ts";

const names = floodKinds.map(({ name }) => name).join(", ");
const help = `Usage: npm run flood -- [options]

Floods a server with requests of one tenant, and measures file_read of another tenant and /healthz. A kind fails where /healthz takes over 250 ms,
where the p95 of file_read is over 50 ms and twice its quiet value, and where the flood did not reach what it floods.

  --seconds N   of each flood (default 60)
  --kind NAME   may be repeated (default all): ${names}
  --cpu-prof    also writes a CPU profile of the server into the folder toolwright-flood-profile
  --json        prints the report as JSON
  --help        prints this text`;

const warmSeconds = 3;
/** Enough for the reads that the quiet time needs. */
const quietSeconds = 12;

async function main(): Promise<number> {
  const asked = readOptions();
  if ("text" in asked) {
    (asked.code === 0 ? console.log : console.error)(asked.text);
    return asked.code;
  }
  const server = await startFlooded(asked.profile ? ["--cpu-prof", `--cpu-prof-dir=${process.cwd()}/toolwright-flood-profile`] : []);
  try {
    const other = { url: server.url, key: server.other };
    await probe({ ...other, seconds: warmSeconds });
    const quiet = await probe({ ...other, seconds: quietSeconds });
    const limitMs = limitOfReads(quiet);
    if (!asked.json) console.log(`${heading}\n${line("(quiet)", quiet)}`);
    const rows = [];
    for (const kind of asked.kinds) {
      const flooded = await floodWith(kind, server, asked.seconds);
      const faults = faultsOf(kind, flooded, limitMs);
      rows.push({ name: kind.name, ok: faults.length === 0, faults, ...flooded });
      if (!asked.json) console.log(line(kind.name, flooded, faults));
      // What is under way ends before the next kind.
      await sleep(2_000);
    }
    const ok = rows.every((row) => row.ok);
    const machine = { processors: availableParallelism(), load: loadavg()[0] };
    if (asked.json) console.log(JSON.stringify({ ok, seconds: asked.seconds, ...machine, quiet, limitMs, rows }));
    else console.log(`\n${ok ? "ok" : "MISSED"}: file_read p95 at most ${limitMs} ms, /healthz at most 250 ms, ${asked.seconds} s a kind.`);
    return ok ? 0 : 1;
  } finally {
    await server.stop();
  }
}

interface FloodOptions {
  readonly seconds: number;
  readonly kinds: readonly FloodKind[];
  readonly profile: boolean;
  readonly json: boolean;
}

function readOptions(): FloodOptions | { readonly text: string; readonly code: number } {
  const string = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  try {
    const options = {
      ...{ seconds: { ...string, default: "60" }, kind: { ...string, multiple: true } },
      ...{ "cpu-prof": flag, json: flag, help: flag },
    } as const;
    const { values } = parseArgs({ options });
    if (values.help) return { text: help, code: 0 };
    const seconds = Number(values.seconds);
    const kinds = values.kind ? floodKinds.filter(({ name }) => values.kind?.includes(name)) : floodKinds;
    if (!(seconds >= 1 && seconds <= 3_600) || kinds.length < new Set(values.kind).size) return { text: help, code: 2 };
    return { seconds, kinds, profile: values["cpu-prof"], json: values.json };
  } catch {
    return { text: help, code: 2 };
  }
}

async function floodWith(kind: FloodKind, server: FloodedServer, seconds: number): Promise<Flooded> {
  const { url, page } = server;
  if (kind.prepare) {
    const answer = await send({ url, key: server.member }, kind.prepare(page), AbortSignal.timeout(30_000));
    if (!/^2\d\d$/.test(answer)) throw new Error(`The flood ${kind.name} cannot be prepared: ${answer}.`);
  }
  const workerData: FlooderData = { url, page, key: server[kind.by], kind: kind.name };
  const flooder = new Worker(new URL("flooder.ts", import.meta.url), { workerData });
  await once(flooder, "message");
  const probed = await probe({ url, key: server.other, seconds });
  flooder.postMessage("stop");
  const [answers]: readonly Flooded["answers"][] = await once(flooder, "message");
  if (!answers) throw new Error(`The flood ${kind.name} ended without its answers.`);
  return { ...probed, answers };
}

const widths = [20, 10, 10, 10, 12, 12] as const;
const cells = (values: readonly (string | number)[]) =>
  values.map((value, at) => (at === 0 ? `${value}`.padEnd(widths[at] ?? 0) : `${value}`.padStart(widths[at] ?? 0))).join("");
const heading = `${cells(["flood", "reads", "p50 ms", "p95 ms", "healthz ms", "own late ms"])}  answers to the flood`;

function line(name: string, { read, health, ownDelayMs, answers = {} }: Probed & Partial<Flooded>, faults: readonly string[] = []): string {
  const counts = Object.entries(answers).map(([answer, count]) => `${count} x ${answer}`);
  const row = `${cells([name, read.count, read.p50, read.p95, health.most, ownDelayMs])}  ${counts.join(", ")}`;
  return [row, ...faults.map((fault) => `  MISSED: ${fault}`)].join("\n");
}

process.exitCode = await main();
