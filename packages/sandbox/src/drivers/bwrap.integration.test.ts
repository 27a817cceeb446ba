import { afterAll, describe, test } from "vitest";
import { sharedDriver } from "../testing/driver/local-fixture.ts";
import { driverConformance } from "../testing/driver-conformance.ts";
import { createBwrapDriver, findTools } from "./bwrap.ts";

const usable = "bwrap" in findTools(undefined);
const isRoot = process.getuid?.() === 0;
const variants = [
  ["workspace of the caller", undefined, "detect"],
  ["workspace of another user, no control groups", isRoot ? 4242 : undefined, "none"],
] as const;

for (const [variant, owner, controlGroups] of variants)
  describe.runIf(usable)(`bwrap driver, ${variant}`, () => {
    const shared = sharedDriver(() => createBwrapDriver({ controlGroups }));
    afterAll(shared.close);
    const recipe = { factory: "createBwrapDriver", options: { controlGroups } };
    for (const { name, skip, run } of driverConformance((needs) => shared.fixture(needs, owner, recipe)))
      test.skipIf(skip !== undefined)(name, run);
  });
