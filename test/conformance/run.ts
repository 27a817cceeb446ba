import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installOnDemand } from "../install-on-demand.ts";

/** Runs the official conformance suites against the fixture server; exits 1 when a scored scenario fails. */
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
    process.stdout.write(`\n=== ${leg.name}: ${code === 0 ? "passed" : "FAILED"}\n${output}\n`);
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  server.kill("SIGTERM");
}

async function startServer(): Promise<{ server: ChildProcess; url: string }> {
  const server = spawn(process.execPath, ["--conditions=@toolwright/source", `${here}serve-fixtures.ts`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: server.stdout });
  for await (const url of lines) return { server, url };
  throw new Error("The fixture server ended before it said its URL.");
}

async function runLeg(argv: string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await run(process.execPath, argv, { cwd: suites, maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, output: summaryOf(stdout) };
  } catch (error) {
    const { stdout = "", stderr = "", code = 1 } = error as { stdout?: string; stderr?: string; code?: number };
    return { code: typeof code === "number" ? code : 1, output: summaryOf(`${stdout}\n${stderr}`) };
  }
}

/** Scenarios by outcome; those that a requirement set runs without scoring them cannot fail the leg. */
function summaryOf(output: string): string {
  const [scenarios = "", unscored = ""] = output.slice(output.lastIndexOf("=== SUMMARY ===")).split("Not scored for");
  const isScored = (name: string) => !unscored.includes(` ${name} (`);
  const outcomes = [...scenarios.matchAll(/^([✓✗]) (\S+): (.*)$/gm)].map(([, mark, name = "", checks]) => ({
    passed: mark === "✓",
    name,
    checks,
  }));
  if (outcomes.length === 0) return output.trim();
  const scored = outcomes.filter(({ name }) => isScored(name));
  const failed = scored.filter(({ passed }) => !passed);
  const other = outcomes.filter(({ name, passed }) => !isScored(name) && !passed);
  return [
    `${scored.length - failed.length} of ${scored.length} scored scenarios passed`,
    ...failed.map(({ name, checks }) => `  failed: ${name} (${checks})`),
    ...other.map(({ name, checks }) => `  not scored, failed: ${name} (${checks})`),
  ].join("\n");
}
