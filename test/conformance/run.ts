import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installOnDemand } from "../install-on-demand.ts";
import { productArguments } from "../product-arguments.ts";

/** Runs the official conformance suites against the fixture server; exits 1 when a scenario fails, scored or not. */
const run = promisify(execFile);
const here = fileURLToPath(new URL(".", import.meta.url));
const suites = `${here}suites`;

const legs: readonly { readonly name: string; readonly cli: string; readonly flags: readonly string[] }[] = [
  { name: "0.1.16, all active scenarios", cli: "conformance-active", flags: [] },
  { name: "0.2.0-alpha.12, requirements of 2025-11-25", cli: "conformance-requirements", flags: ["--requirements", "2025-11-25"] },
  { name: "0.2.0-alpha.12, requirements of 2026-07-28", cli: "conformance-requirements", flags: ["--requirements", "2026-07-28"] },
];

await installOnDemand(suites);
const { server, url } = await startServer();
try {
  for (const leg of legs) {
    const cli = `${suites}/node_modules/${leg.cli}/dist/index.js`;
    const { code, output } = await runLeg([cli, "server", "--url", url, ...leg.flags]);
    const { ran, failed } = readSummary(output);
    const passed = code === 0 && ran > 0 && failed.length === 0;
    process.stdout.write(`\n=== ${leg.name}: ${passed ? "passed" : "FAILED"}\n`);
    process.stdout.write(ran === 0 ? `${output.trim()}\n` : `${ran - failed.length} of ${ran} scenarios passed\n`);
    for (const { name, checks } of failed) process.stdout.write(`  failed: ${name} (${checks})\n`);
    if (!passed) process.exitCode = 1;
  }
} finally {
  server.kill("SIGTERM");
}

async function startServer(): Promise<{ server: ChildProcess; url: string }> {
  const server = spawn(process.execPath, [...productArguments, `${here}serve-fixtures.ts`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: server.stdout });
  for await (const url of lines) return { server, url };
  throw new Error("The fixture server ended before it said its URL.");
}

async function runLeg(argv: string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await run(process.execPath, argv, { cwd: suites, maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, output: stdout };
  } catch (error) {
    const { stdout = "", stderr = "", code = 1 } = error as { stdout?: string; stderr?: string; code?: number };
    return { code: typeof code === "number" ? code : 1, output: `${stdout}\n${stderr}` };
  }
}

interface Summary {
  readonly ran: number;
  readonly failed: readonly { readonly name: string; readonly checks: string }[];
}

/** The scenarios of a leg. Those that a requirement set runs without scoring them are among them, though the suite does not fail for them. */
function readSummary(output: string): Summary {
  const [summary = ""] = output.slice(output.lastIndexOf("=== SUMMARY ===")).split("Not scored for");
  const outcomes = [...summary.matchAll(/^([✓✗]) (\S+): (.*)$/gm)];
  const failed = outcomes.filter(([, mark]) => mark === "✗").map(([, , name = "", checks = ""]) => ({ name, checks }));
  return { ran: outcomes.length, failed };
}
