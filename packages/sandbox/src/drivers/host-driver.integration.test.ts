import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { specFor } from "../testing/driver/conformance-run.ts";
import { createHostDriver } from "./host.ts";

test("law 4: the host driver refuses a run without network instead of giving it one", async () => {
  const driver = createHostDriver();
  const spec = specFor({ driver, workspace: tmpdir() }, "true", { network: "none" });
  await expect(driver.start(spec)).rejects.toMatchObject({ code: "sandbox_unavailable" });
  await driver.close();
});
