import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBwrapDriver } from "@toolwright/sandbox";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("./call-path/files-of-one-call.ts", import.meta.url));
/** As many as a reader follows today. Lower it with each file that joins another; a new one on the path has to be worth a higher number. */
const mostFiles = 91;

const driver = createBwrapDriver({});
const { available } = await driver.probe();
await driver.close();

test.skipIf(!available)(`one call of exec over MCP passes at most ${mostFiles} source files`, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@toolwright/source", script]);
  const files: string[] = JSON.parse(stdout);
  for (const passed of ["doors/src/mcp/http/mcp-door.ts", "engine/src/gate/gate.ts", "sandbox/src/drivers/create-driver.ts"])
    expect(files).toContain(`packages/${passed}`);
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(mostFiles);
});
