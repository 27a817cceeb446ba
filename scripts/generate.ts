// Writes what a browser or a start reads in place of the operations: `npm run generate`. A test holds that it is fresh.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { operations } from "@toolwright/engine/operations";
import { writePermissionReference } from "./permission-reference.ts";
import { writeShellCommands, writeViews } from "./shell-commands.ts";

/** Texts by their path from the root of the repository. Who writes each before the next one is asked for has them all of the sources as they are. */
export async function* generatedFiles(): AsyncGenerator<readonly [path: string, text: string]> {
  yield ["packages/doors/src/rest/generated/operation-routes.ts", writeRoutes()];
  yield ["packages/engine/src/entries/generated/views.ts", writeViews()];
  yield ["packages/cli/src/generated/operation-commands.ts", writeShellCommands()];
  yield ["docs/reference/permissions.md", writePermissionReference()];
  // It loads the program, and with it the commands that were written just now.
  const { writeCommandReference } = await import("./command-reference.ts");
  yield ["docs/reference/commands.md", writeCommandReference()];
}

function writeRoutes(): string {
  const lines = operations
    .map(({ name, route }) => `  ${JSON.stringify(name)}: ${JSON.stringify(`${route.method} ${route.path}`)},`)
    .sort();
  return `// Made by \`npm run generate\` from the operations.
import type { OperationName } from "@toolwright/engine/operations";

/** Where each operation is served: its method, and its path below the REST door. */
export const operationRoutes: Readonly<Record<OperationName, string>> = {
${lines.join("\n")}
};
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for await (const [path, text] of generatedFiles()) {
    writeFileSync(new URL(`../${path}`, import.meta.url), text);
    console.log(`Wrote ${path}.`);
  }
