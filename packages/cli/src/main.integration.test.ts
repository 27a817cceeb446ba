import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { exitCodes } from "./exit-code.ts";

test("input on stdin that is not UTF-8 is refused: what would run is not what was sent", () => {
  const cwd = mkdtempSync(join(tmpdir(), "toolwright-stdin-"));
  try {
    const program = fileURLToPath(new URL("../bin/toolwright.js", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [program, "call", "exec", "-"], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd },
      input: Buffer.from('{"command": "echo \xff"}', "latin1"),
    });
    expect(status).toBe(exitCodes.usage);
    expect(stderr.toString()).toContain("not UTF-8");
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});
