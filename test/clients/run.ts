// Drives real MCP clients against the server: `npm run clients`. Options: --client NAME, --long SECONDS, --json.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { installOnDemand } from "../install-on-demand.ts";
import { checkNames, type Outcome, runChecks } from "./checks.ts";
import { claude } from "./drive/claude.ts";
import type { RealClient } from "./drive/client.ts";
import { codex } from "./drive/codex.ts";
import { gemini } from "./drive/gemini.ts";
import { opencode } from "./drive/opencode.ts";
import { ModelServer } from "./model-server.ts";
import { Rig } from "./rig.ts";

const clients: readonly RealClient[] = [codex, claude, gemini, opencode];
const options = {
  client: { type: "string", multiple: true },
  long: { type: "string", default: "90" },
  json: { type: "boolean", default: false },
} as const;
const { values } = parseArgs({ options });
const inside = "TOOLWRIGHT_CLIENTS_INSIDE";

process.exitCode = await main();

async function main(): Promise<number> {
  const chosen = clients.filter(({ name }) => values.client?.includes(name) ?? true);
  const unknown = values.client?.find((name) => !clients.some((client) => client.name === name));
  if (unknown !== undefined) {
    console.error(`There is no client "${unknown}". Name one of: ${clients.map(({ name }) => name).join(", ")}.`);
    return 2;
  }
  const longSeconds = Number(values.long);
  if (!(longSeconds >= 1 && longSeconds <= 500)) {
    console.error(`--long is "${values.long}". Use a number of seconds from 1 to 500.`);
    return 2;
  }
  if (process.env[inside] === undefined) {
    await installOnDemand(new URL(".", import.meta.url).pathname);
    const code = runWithoutNetwork();
    if (code !== undefined) return code;
    console.error(
      "This machine permits no network of one's own (unshare --net), so clients could reach beyond loopback; they are told not to.",
    );
  }
  const model = await ModelServer.start();
  // Two at a time: most of it is waiting.
  const results = new Map<string, readonly Outcome[]>();
  const waiting = [...chosen];
  const work = async () => {
    for (let client = waiting.shift(); client; client = waiting.shift())
      results.set(client.name, await check(client, { model, longSeconds }));
  };
  await Promise.all([work(), work()]);
  model.stop();
  return report(chosen, results);
}

/** Runs this again where there is loopback and nothing else; its exit code, or undefined where that cannot be had. */
function runWithoutNetwork(): number | undefined {
  const loopback = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  for (const flags of [["--net"], ["--net", "--map-root-user"]]) {
    if (spawnSync("unshare", [...flags, ...loopback, "true"]).status !== 0) continue;
    const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    const { status } = spawnSync("unshare", [...flags, ...loopback, ...again], {
      stdio: "inherit",
      env: { ...process.env, [inside]: "1" },
    });
    return status ?? 1;
  }
  return undefined;
}

async function check(
  client: RealClient,
  { model, longSeconds }: { readonly model: ModelServer; readonly longSeconds: number },
): Promise<readonly Outcome[]> {
  const tell = ({ check: name, passed, detail }: Outcome) =>
    console.error(`${passed ? "passed" : "FAILED"}  ${client.name.padEnd(9)} ${name.padEnd(21)} ${detail}`);
  const rig = await Rig.make(client, { model, key: client.name });
  try {
    await rig.serve();
    await rig.install();
    return await runChecks(rig, { longSeconds, tell });
  } catch (error) {
    const outcomes = checkNames.map((name) => ({ check: name, passed: false, detail: (error as Error).message }));
    for (const outcome of outcomes.slice(0, 1)) tell(outcome);
    return outcomes;
  } finally {
    await rig.remove();
  }
}

function report(chosen: readonly RealClient[], results: ReadonlyMap<string, readonly Outcome[]>): number {
  const found = (client: RealClient, name: string) => results.get(client.name)?.find(({ check: each }) => each === name);
  const all = chosen.flatMap((client) => (results.get(client.name) ?? []).map((outcome) => ({ client: client.name, ...outcome })));
  const failed = all.filter(({ passed }) => !passed);
  if (values.json) console.log(JSON.stringify(all, null, 2));
  else {
    const row = (cells: readonly string[]) =>
      cells
        .map((cell, index) => cell.padEnd(index === 0 ? 22 : 10))
        .join("")
        .trimEnd();
    const mark = (outcome: Outcome | undefined) => (outcome === undefined ? "-" : outcome.passed ? "passed" : "FAILED");
    console.log(["", row(["check", ...chosen.map(({ name }) => name)])].join("\n"));
    for (const name of checkNames.filter((each) => chosen.some((client) => found(client, each))))
      console.log(row([name, ...chosen.map((client) => mark(found(client, name)))]));
    console.log(`\n${all.length - failed.length} of ${all.length} checks passed.`);
  }
  return failed.length === 0 ? 0 : 1;
}
