import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestFolder } from "@toolwright/postgres/testing";
import { expect, test } from "vitest";
import { root } from "../architecture/source-files.ts";
import { productArguments } from "../product-arguments.ts";

/** One life of the program: how it ended. */
async function live(folder: string): Promise<readonly [code: number | null, signal: string | null]> {
  const child = spawn(process.execPath, [...productArguments, "test/e2e/ai-sdk-restart-main.ts", folder], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  return [code, signal];
}

test("generateText stops on an approval, its process is killed, and the next one goes on from the stored messages: the call runs once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolwright-ai-sdk-"));
  try {
    await createTestFolder(join(folder, "store", "data"), process.env.TOOLWRIGHT_TEST_TEMPLATES as string);
    expect(await live(folder)).toEqual([null, "SIGKILL"]);
    expect(await live(folder)).toEqual([0, null]);
    expect(await readFile(join(folder, "paid.txt"), "utf8")).toBe("A-1: 40\n");
    expect(JSON.parse(await readFile(join(folder, "said.json"), "utf8"))).toEqual([
      "Paid.",
      "Paid before.",
      expect.stringMatching(/idempotency_mismatch/),
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
