import { fileURLToPath } from "node:url";
import { aiSDKDoor, describeDoors, doorConformance, pageOfDoors } from "@toolwright/doors/testing";
import { silentLogger } from "@toolwright/engine/ports";
import { openScratchEngines } from "@toolwright/server/machine";
import { builtinTools } from "@toolwright/tools";
import { expect, it } from "vitest";
import { runProgram } from "../program.ts";
import { cliDoors, servedFormDoor, servedRestDoor } from "./cli-doors.ts";

const before = `# Doors

Every built-in tool is called through every door by callers who may, who are asked, who may not, who do not see it, and who are of another tenant: with its
examples, with nothing, with an unknown member, and with a member of the wrong type. Compared with the scope of the engine are the list and its schemas,
status, output, error, decision, approval and what follows its answer, repairs, cuts, notes, artifacts, and the events in the log. A secret on the wire is a difference.
\`conformance_*\` are tools of the suite itself. The test of the built-in tools writes this page.

Hold your own tools against the doors with \`toolwright test --doors\`. It leaves out the door of the AI SDK where the package \`ai\` is not installed.

| door                   | how the suite speaks to it                                                                                 |
| ---------------------- | ---------------------------------------------------------------------------------------------------------- |
| \`mcp ..., http\`        | requests as they are on the wire, in this process                                                          |
| \`mcp, stdio\`           | the door's own streams, in this process                                                                    |
| \`rest\`, \`rest, stream\` | requests in this process, with answers as JSON and as streams                                              |
| \`rest, served\`         | requests over sockets to a server that listens                                                             |
| \`ai sdk 7\`             | \`generateText\` with a model that makes the call                                                            |
| \`cli\`                  | \`list\`, \`call\` and \`approvals run\` with \`--json\`, as the program reads them, in this process on one engine |
| \`form\`                 | the web form: the client of the console's pages, with the headers of a browser                             |
| \`cli --server\`         | the same commands with \`--server\`, to a server that listens                                                |

`;

const after = `
## A door of your own

A door joins the comparison as one object, a \`DoorAdapter\` of \`@toolwright/doors/testing\`, in \`doorConformance({ tools, doors: [mine] })\`:

| member      | what                                                                                                                           |
| ----------- | ------------------------------------------------------------------------------------------------------------------------------ |
| \`name\`      | the column of the report                                                                                                       |
| \`target\`    | whose schemas it offers, such as \`mcp-2026-07-28\`; left out, the engine's own                                                  |
| \`leavesOut\` | parts of an answer that its wire has no place for, each with the reason, which the report prints: nothing else may differ      |
| \`open\`      | \`({ engine, principal, session })\` gives a client on the other side of the door: \`list\`, \`call\`, \`resume\`, \`heard\` and \`close\` |

\`call\` gives what the client was told: status, output, error, decision, approval, and the paths that were repaired and cut. \`answerOf(result)\` makes it of a whole
result. \`resume\` goes on by the id of an approval; left out, the suite makes the same call again. \`heard\` gives everything that came over the wire, in which the suite looks for a secret.
A form in a browser joins as any other: \`list\` reads the forms that it offers, \`call\` fills one in and sends it, \`heard\` gives the pages.
`;

it("every built-in tool answers every caller the same at every door", { timeout: 360_000 }, async () => {
  const engines = await openScratchEngines({ env: {} }, silentLogger);
  try {
    const report = await doorConformance({
      tools: builtinTools,
      doors: [servedRestDoor, servedFormDoor, aiSDKDoor, ...cliDoors(runProgram)],
      changes: true,
      engine: engines.make,
    });
    expect(describeDoors(report)).toMatch(/no difference\.\n$/);
    const page = fileURLToPath(new URL("../../../../docs/reference/doors.md", import.meta.url));
    await expect(`${before}${pageOfDoors(report)}${after}`).toMatchFileSnapshot(page);
  } finally {
    await engines.close();
  }
});
