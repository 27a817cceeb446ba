import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { exitCodes } from "./exit-code.ts";

const program = fileURLToPath(new URL("../bin/toolwright.js", import.meta.url));

test.skipIf(process.platform !== "linux")("output that cannot be written is told in one sentence, without a stack trace", () => {
  const cwd = mkdtempSync(join(tmpdir(), "toolwright-full-"));
  const full = openSync("/dev/full", "w");
  try {
    const { status, stderr } = spawnSync(process.execPath, [program, "--help"], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE },
      stdio: ["ignore", full, "pipe"],
    });
    expect(stderr.toString()).toMatch(/^The output could not be written, so it is not whole: .*ENOSPC.*\n$/);
    expect(status).toBe(exitCodes.failed);
  } finally {
    closeSync(full);
    rmSync(cwd, { recursive: true, force: true });
  }
});

test("input on stdin that is not UTF-8 is refused: what would run is not what was sent", () => {
  const cwd = mkdtempSync(join(tmpdir(), "toolwright-stdin-"));
  try {
    const { status, stderr } = spawnSync(process.execPath, [program, "call", "exec", "-"], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE },
      input: Buffer.from('{"command": "echo \xff"}', "latin1"),
    });
    expect(status).toBe(exitCodes.usage);
    expect(stderr.toString()).toContain("not UTF-8");
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});
