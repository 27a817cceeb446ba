import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "vitest";
import { finish } from "./run-cli.ts";

const runner = fileURLToPath(new URL("../faults/run-faults.ts", import.meta.url));

const doors = ["http 2026-07-28", "http 2025-11-25", "stdio 2026-07-28", "stdio 2025-11-25", "cli"];

// Each of them waits most of its time for what a killed process held: calls at full speed meanwhile would only take that time from other tests.
test.concurrent.for([
  { on: "server", through: "the engine", kills: 3, options: ["--trees"], seen: ["call", "paid", "job", "suspended", "inside"] },
  { on: "server", through: "agents", kills: 1, options: ["--agents"], seen: ["chat", "ended"] },
  { on: "embedded", through: "agents", kills: 1, options: ["--agents"], seen: ["chat", "ended"] },
  { on: "embedded", through: "every door", kills: 1, options: ["--doors"], seen: doors },
])(
  "processes that are killed under load lose, repeat and break nothing, and what clients were told is in the log: $on, through $through (R-AU-5)",
  { timeout: 600_000 },
  async ({ on, kills, options, seen }, { expect }) => {
    const words = ["--conditions=@toolwright/source", runner, "--kills", String(kills), "--pause", "30", "--on", on, ...options];
    const child = spawn(process.execPath, words, { stdio: "pipe" });
    child.stdin.end();
    const { out, err } = await finish(child);
    const verdict = JSON.parse(out.trim().split("\n").at(-1) ?? "{}");
    expect(verdict, err).toMatchObject({ ok: true, verdicts: [{ kills, lost: [], twice: [], broken: [], stuck: [] }] });
    const { confirmed } = verdict.verdicts[0];
    expect(Math.min(...seen.map((kind) => confirmed[kind] ?? 0)), JSON.stringify(confirmed)).toBeGreaterThan(0);
  },
);
