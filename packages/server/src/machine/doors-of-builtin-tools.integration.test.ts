import { fileURLToPath } from "node:url";
import { aiSDKDoor, describeDoors, doorConformance, pageOfDoors } from "@toolwright/doors/testing";
import { silentLogger } from "@toolwright/engine/ports";
import { builtinTools } from "@toolwright/tools";
import { expect, it } from "vitest";
import { openScratchEngines } from "./scratch-engines.ts";

const before = `# Doors

Every built-in tool is called through every door by callers who may, who are asked, who may not, who do not see it, and who are of another tenant: with its
examples, with nothing, with an unknown member, and with a member of the wrong type. Compared with the scope of the engine are the list and its schemas,
status, output, error, decision, approval and what follows its answer, repairs, cuts, notes, artifacts, and the events in the log. A secret on the wire is a difference.
\`conformance_*\` are tools of the suite itself. The test of the built-in tools writes this page.

Hold your own tools against the doors with \`toolwright test --doors\`.

`;

it("every built-in tool answers every caller the same at every door", async () => {
  const engines = await openScratchEngines({ env: {} }, silentLogger);
  try {
    const report = await doorConformance({ tools: builtinTools, doors: [aiSDKDoor], changes: true, engine: engines.make });
    expect(describeDoors(report)).toMatch(/no difference\.\n$/);
    const page = fileURLToPath(new URL("../../../../docs/reference/doors.md", import.meta.url));
    await expect(`${before}${pageOfDoors(report)}`).toMatchFileSnapshot(page);
  } finally {
    await engines.close();
  }
});
