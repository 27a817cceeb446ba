import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { finish } from "./run-cli.ts";

const runner = fileURLToPath(new URL("../faults/run-faults.ts", import.meta.url));

test.each(["embedded", "server"])(
  "processes that are killed under load lose, repeat and break nothing: %s (R-AU-5)",
  { timeout: 180_000 },
  async (on) => {
    const child = spawn(process.execPath, ["--conditions=@toolwright/source", runner, "--kills", "5", "--on", on], { stdio: "pipe" });
    child.stdin.end();
    const { out, err } = await finish(child);
    const verdict = JSON.parse(out.trim().split("\n").at(-1) ?? "{}");
    expect(verdict, err).toMatchObject({ ok: true, verdicts: [{ kills: 5, lost: [], twice: [], broken: [], stuck: [] }] });
    const { confirmed } = verdict.verdicts[0];
    expect(Math.min(confirmed.call, confirmed.paid, confirmed.job), JSON.stringify(confirmed)).toBeGreaterThan(0);
  },
);
