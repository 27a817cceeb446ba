import { afterAll, describe, test } from "vitest";
import { sharedRuntime } from "../testing/runtime/local-fixture.ts";
import { runtimeConformance } from "../testing/runtime-conformance.ts";
import { createBwrapRuntime } from "./bwrap.ts";
import { findTools } from "./probe-bwrap.ts";

const usable = "bwrap" in findTools(undefined);
const isRoot = process.getuid?.() === 0;
const variants = [
  ["workspace of the caller", undefined, "detect"],
  ["workspace of another user, no control groups", isRoot ? 4242 : undefined, "none"],
] as const;

for (const [variant, owner, controlGroups] of variants)
  describe.runIf(usable)(`bwrap runtime, ${variant}`, () => {
    const shared = sharedRuntime(() => createBwrapRuntime({ controlGroups }));
    afterAll(shared.close);
    const recipe = { factory: "createBwrapRuntime", options: { controlGroups } };
    for (const { name, skip, run } of runtimeConformance((needs) => shared.fixture(needs, owner, recipe)))
      test.skipIf(skip !== undefined)(name, run);
  });
