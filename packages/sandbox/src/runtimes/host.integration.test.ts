import { afterAll, describe, test } from "vitest";
import { sharedRuntime } from "../testing/runtime/local-fixture.ts";
import { runtimeConformance } from "../testing/runtime-conformance.ts";
import { createHostRuntime } from "./host.ts";

const noIsolation = "the host runtime isolates nothing, and says so in its traits and posture";
const gaps = { network: noIsolation, files: noIsolation, kernel: noIsolation };

for (const controlGroups of ["detect", "none"] as const)
  describe.runIf(process.platform === "linux")(`host runtime, control groups: ${controlGroups}`, () => {
    const shared = sharedRuntime(() => createHostRuntime({ controlGroups }));
    afterAll(shared.close);
    const recipe = { factory: "createHostRuntime", options: { controlGroups } };
    for (const { name, skip, run } of runtimeConformance((needs) => shared.fixture(needs, undefined, recipe), gaps))
      test.skipIf(skip !== undefined)(name, run);
  });
