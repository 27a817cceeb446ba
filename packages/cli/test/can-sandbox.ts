import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { runIn } from "./test-io.ts";

/** True when commands can be sandboxed on this machine; where not, `toolwright doctor` says how to get there. */
export async function canSandbox(): Promise<boolean> {
  const root = await mkdtemp(join(tmpdir(), "toolwright-doctor-"));
  const { url, drop } = await createServerDatabase();
  try {
    return (await runIn(root, ["doctor"], { env: { DATABASE_URL: url } })).code === 0;
  } finally {
    await drop();
    await rm(root, { recursive: true, force: true });
  }
}
