import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { specFor } from "../testing/runtime/conformance-run.ts";
import { createHostRuntime } from "./host.ts";

test("law 4: the host runtime refuses a run without network instead of giving it one", async () => {
  const runtime = createHostRuntime();
  const spec = specFor({ runtime, workspace: tmpdir() }, "true", { network: "none" });
  await expect(runtime.start(spec)).rejects.toMatchObject({ code: "sandbox_unavailable" });
  await runtime.close();
});
