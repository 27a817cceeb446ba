// Writes what a browser or a start reads in place of the operations: `npm run generate`. A test holds that it is fresh.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Operation, OperationEntry, Subject } from "@toolwright/engine/operations";
import { writePermissionReference } from "./permission-reference.ts";
import { operations, type SubjectPackage, subjectPackages, subjects } from "./product-subjects.ts";
import { writeShellCommands, writeViews } from "./shell-commands.ts";
import { writeSubjectReference } from "./subject-reference.ts";

/** Texts by their path from the root of the repository. Who writes each before the next one is asked for has them all of the sources as they are. */
export async function* generatedFiles(): AsyncGenerator<readonly [path: string, text: string]> {
  yield ["packages/doors/src/rest/generated/operation-routes.ts", writeRoutes()];
  yield ["packages/engine/src/contract/generated/subject-errors.ts", writeErrors()];
  for (const each of subjectPackages) yield [`packages/${each.name}/src/operations/generated/subject-index.ts`, writeIndex(each)];
  yield* writeViews();
  yield ["packages/cli/src/generated/operation-commands.ts", writeShellCommands()];
  yield ["docs/reference/permissions.md", writePermissionReference()];
  yield ["docs/reference/subjects.md", writeSubjectReference()];
  // It loads the program, and with it the commands that were written just now.
  const { writeCommandReference } = await import("./command-reference.ts");
  yield ["docs/reference/commands.md", writeCommandReference()];
}

function writeRoutes(): string {
  const lines = operations
    .map(({ name, route: { method, path } }) => {
      const own = `/${name.split(".", 1)[0]}`;
      const rest = path === own || path.startsWith(`${own}/`) ? path.slice(own.length + 1) : path;
      return `  ${JSON.stringify(name)}: ${JSON.stringify(method === "GET" ? rest : `${method} ${rest}`)},`;
    })
    .sort();
  return `// Made by \`npm run generate\` from the operations.

/** Where each operation is served: its method, unless that is GET, and its path below the REST door, from a \`/\` on or below the first word of its name. */
export const operationRoutes: Readonly<Record<string, string>> = {
${lines.join("\n")}
};
`;
}

function writeErrors(): string {
  const lines = subjects.flatMap(({ errors = {} }: Subject) =>
    Object.entries(errors).map(([code, said]) => `  ${code}: ${JSON.stringify(said)},`),
  );
  return `// Made by \`npm run generate\` from the subjects.

/** What operations fail with, as the subject of each code says it. */
export const subjectErrors = {
${lines.join("\n")}
} as const;
`;
}

/** The subjects of one package, without what they do. */
function writeIndex({ name: folder, list, subjects }: SubjectPackage): string {
  const source = readFileSync(new URL(`../${list}`, import.meta.url), "utf8");
  const files = new Map(
    Array.from(source.matchAll(/^export \{ (\w+)Subject \} from "\.\/([\w-]+)\.ts";$/gm), ([, name = "", file = ""]) => [name, file]),
  );
  const loaders = subjects.map(({ name }) => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`${list} has no line: export { ${name}Subject } from "./FILE.ts";`);
    return `    ${name}: async () => (await import("../${file}.ts")).${name}Subject,`;
  });
  const entries = subjects.flatMap(({ name, operations: own }) =>
    own.map((operation) => `    ${JSON.stringify(entryOf(operation, name))},`),
  );
  const ports = subjects.flatMap(({ name, store = [] }) => store.map((port) => `    ${port.name}: ${JSON.stringify(name)},`));
  const isEngine = folder === "engine";
  return `// Made by \`npm run generate\` from the subjects.
import type { SubjectIndex } from ${JSON.stringify(isEngine ? "../define-subject.ts" : "@toolwright/engine/operations")};
${isEngine ? "" : augmentation}
/** The subjects of this package. */
export const ${folder}Subjects: SubjectIndex = {
  operations: [
${entries.join("\n")}
  ],
  ports: {
${ports.join("\n")}
  },
  loaders: {
${loaders.join("\n")}
  },
};
${isEngine ? `\n${writeLoops()}` : ""}`;
}

const augmentation = `import type { PortsOf, TypesOf } from "@toolwright/engine/operation-types";
import type * as own from "../subjects.ts";

declare module "@toolwright/engine/operation-types" {
  interface OperationTypes extends TypesOf<typeof own> {}
  interface Administration extends PortsOf<typeof own> {}
}
`;

function writeLoops(): string {
  const names = subjects.flatMap(({ loops = [] }) => loops.map(({ name }) => `  | ${JSON.stringify(name)}`));
  return `/** Name of what goes on beside requests in processes that stay. */
export type LoopName =
${names.join("\n")};
`;
}

const entryOf = ({ name, permission, onlyPeople, effect, needs, route }: Operation, subject: string): OperationEntry => ({
  ...{ name, subject, ...(permission !== undefined && { permission }), ...(onlyPeople && { onlyPeople }), effect, route },
  needs: needs.map((port) => port.name),
});

if (process.argv[1] === fileURLToPath(import.meta.url))
  for await (const [path, text] of generatedFiles()) {
    writeFileSync(new URL(`../${path}`, import.meta.url), text);
    console.log(`Wrote ${path}.`);
  }
