import { readFileSync } from "node:fs";
import type { CallResult, ErrorCode } from "@toolwright/engine";
import { expect, test } from "vitest";
import { exitCodes } from "./exit-code.ts";
import { exitCodeOf, exitCodeOfCode } from "./exit-code-of.ts";

const failed = (code: ErrorCode): CallResult => ({
  ...{ status: "failed", callId: "c", tool: "t", durationMs: 1, notes: [], repairs: [], artifacts: [], anomalies: [] },
  error: { code, message: "It cannot run." },
});

/** The words by which the guide's table names each reason, beside the code of the error that a call gets for it. */
test.each<[what: string, code: ErrorCode, named: RegExp]>([
  ["no such tool, or one that is hidden from the caller", "tool_not_found", /^2 +\| usage: .*tool/],
  ["input that does not fit", "invalid_input", /^2 +\| usage: .*input that does not fit/],
  ["no sandbox", "sandbox_unavailable", /^69 +\| unavailable: .*sandbox/],
  ["a limit that the machine cannot hold", "limit_unenforceable", /^69 +\| unavailable: .*limit/],
  ["no store", "store_unreachable", /^69 +\| unavailable: .*store/],
  ["a full disk", "disk_full", /^69 +\| unavailable: .*disk/],
  ["a missing secret", "secret_missing", /^1 +\| failed/],
  ["a missing program", "spawn_failed", /^1 +\| failed/],
  ["a browser that does not start", "browser_unavailable", /^1 +\| failed/],
  ["a failure of the tool", "tool_failed", /^1 +\| failed/],
])("a call with %s ends with the exit code that the guide names for it, as a command does", (_, code, named) => {
  const guide = readFileSync(new URL("../../../docs/guide/command-line.md", import.meta.url), "utf8");
  const row = guide.split("\n").flatMap((line) => (named.test(line.slice(2)) ? [line] : []));
  expect(row).toHaveLength(1);
  expect(exitCodeOf(failed(code))).toBe(Number(row[0]?.split("|")[1]));
  expect(exitCodeOfCode(code)).toBe(exitCodeOf(failed(code)));
});

test("the guide names every exit code", () => {
  const guide = readFileSync(new URL("../../../docs/guide/command-line.md", import.meta.url), "utf8");
  const named = [...guide.matchAll(/^\| (\d+) +\| [a-z]/gm)].map(([, code]) => Number(code));
  expect(named).toEqual(Object.values(exitCodes));
});
