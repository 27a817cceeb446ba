import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { specFor } from "../testing/runtime/conformance-run.ts";
import { localFixture } from "../testing/runtime/local-fixture.ts";
import { runtimeConformance } from "../testing/runtime-conformance.ts";
import { findSystemProgram } from "./host-tools.ts";
import { createNsjailRuntime } from "./nsjail.ts";

const usable = findSystemProgram("nsjail") !== undefined;
const owner = process.getuid?.() === 0 ? 4242 : undefined;
const gaps = {
  "R-SB-5 R-SB-6 refused inside: mount in a user namespace": "a jail has no system call filter, which the posture says",
};

test("R-SB-3 without nsjail nothing runs, and the probe says how to get it", async () => {
  const runtime = createNsjailRuntime({ nsjail: "/nonexistent/nsjail" });
  expect(await runtime.probe()).toMatchObject({ available: false });
  await expect(runtime.start(specFor({ runtime, workspace: tmpdir() }, "true"))).rejects.toMatchObject({
    code: "spawn_failed",
  });
  await runtime.close();
});

describe("nsjail runtime", () => {
  if (!usable) test.skip("nsjail is not installed on this machine", () => {});
  const make = () => localFixture(() => createNsjailRuntime(), owner, { factory: "createNsjailRuntime" });
  for (const { name, skip, run } of runtimeConformance(make, gaps)) test.skipIf(!usable || skip !== undefined)(name, run);
});
