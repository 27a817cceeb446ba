import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { specFor } from "../testing/driver/conformance-run.ts";
import { localFixture } from "../testing/driver/local-fixture.ts";
import { driverConformance } from "../testing/driver-conformance.ts";
import { createNsjailDriver } from "./nsjail.ts";
import { findSystemProgram } from "./prepare-spec.ts";

const usable = findSystemProgram("nsjail") !== undefined;
const owner = process.getuid?.() === 0 ? 4242 : undefined;
const gaps = {
  "R-SB-5 R-SB-6 refused inside: mount in a user namespace": "a jail has no system call filter, which the posture says",
};

test("R-SB-3 without nsjail nothing runs, and the probe says how to get it", async () => {
  const driver = createNsjailDriver({ nsjail: "/nonexistent/nsjail" });
  expect(await driver.probe()).toMatchObject({ available: false });
  await expect(driver.start(specFor({ driver, workspace: tmpdir() }, "true"))).rejects.toMatchObject({
    code: "spawn_failed",
  });
  await driver.close();
});

describe("nsjail driver", () => {
  if (!usable) test.skip("nsjail is not installed on this machine", () => {});
  const make = () => localFixture(() => createNsjailDriver(), owner, { factory: "createNsjailDriver" });
  for (const { name, skip, run } of driverConformance(make, gaps)) test.skipIf(!usable || skip !== undefined)(name, run);
});
