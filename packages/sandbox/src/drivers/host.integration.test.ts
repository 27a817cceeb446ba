import { afterAll, describe, test } from "vitest";
import { sharedDriver } from "../testing/driver/local-fixture.ts";
import { driverConformance } from "../testing/driver-conformance.ts";
import { createHostDriver } from "./host.ts";

const noIsolation = "the host driver isolates nothing, and says so in its traits and posture";
const gaps = { network: noIsolation, files: noIsolation, kernel: noIsolation };

for (const controlGroups of ["detect", "none"] as const)
  describe.runIf(process.platform === "linux")(`host driver, control groups: ${controlGroups}`, () => {
    const shared = sharedDriver(() => createHostDriver({ controlGroups }));
    afterAll(shared.close);
    const recipe = { factory: "createHostDriver", options: { controlGroups } };
    for (const { name, skip, run } of driverConformance((needs) => shared.fixture(needs, undefined, recipe), gaps))
      test.skipIf(skip !== undefined)(name, run);
  });
