// Writes what a browser or a start reads in place of the operations: `npm run generate`. A test holds that it is fresh.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Operation, OperationEntry, Subject } from "@toolwright/engine/operations";
import { operations, subjects } from "@toolwright/engine/subjects";
import { writePermissionReference } from "./permission-reference.ts";
import { writeShellCommands, writeViews } from "./shell-commands.ts";
import { writeSubjectReference } from "./subject-reference.ts";

/** Texts by their path from the root of the repository. Who writes each before the next one is asked for has them all of the sources as they are. */
export async function* generatedFiles(): AsyncGenerator<readonly [path: string, text: string]> {
  yield ["packages/doors/src/rest/generated/operation-routes.ts", writeRoutes()];
  yield ["packages/engine/src/contract/generated/subject-errors.ts", writeErrors()];
  yield ["packages/engine/src/operations/generated/operation-index.ts", writeIndex()];
  yield ["packages/engine/src/entries/generated/views.ts", writeViews()];
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
import type { OperationName } from "@toolwright/engine/operations";

/** Where each operation is served: its method, unless that is GET, and its path below the REST door, from a \`/\` on or below the first word of its name. */
export const operationRoutes: Readonly<Record<OperationName, string>> = {
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

/** In which file each subject stands, by its name. */
function writeIndex(): string {
  const source = readFileSync(new URL("../packages/engine/src/operations/subjects.ts", import.meta.url), "utf8");
  const files = new Map(
    Array.from(source.matchAll(/^export \{ (\w+)Subject \} from "\.\/([\w-]+)\.ts";$/gm), ([, name = "", file = ""]) => [name, file]),
  );
  const loaders = subjects.map(({ name }) => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`subjects.ts has no line: export { ${name}Subject } from "./FILE.ts";`);
    return `  ${name}: async () => (await import("../${file}.ts")).${name}Subject,`;
  });
  const entries = subjects.flatMap(({ name, operations: own }: Subject) =>
    own.map((operation) => `  ${JSON.stringify(entryOf(operation, name))},`),
  );
  const ports = subjects.flatMap(({ name, store = [] }: Subject) => store.map((port) => `  ${port.name}: ${JSON.stringify(name)},`));
  const loops = subjects.flatMap(({ name, loops = [] }: Subject) =>
    loops.map((loop) => `  ${loop.name}: ${JSON.stringify({ of: name, about: loop.about })},`),
  );
  return `// Made by \`npm run generate\` from the operations.
import type { OperationEntry } from "../define-operation.ts";
import type { Subject } from "../define-subject.ts";

type Name =
${subjects.map(({ name }) => `  | ${JSON.stringify(name)}`).join("\n")};

/** Load a subject with the schemas of its operations. */
export const subjectLoaders: { readonly [Each in Name]: () => Promise<Subject> } = {
${loaders.join("\n")}
};

/** Subjects by the ports of their stores. */
export const portOwners: Readonly<Record<string, Name>> = {
${ports.join("\n")}
};

/** What goes on beside requests in processes that stay, by name. */
export const loops = {
${loops.join("\n")}
} as const satisfies Readonly<Record<string, { readonly of: Name; readonly about: string }>>;

export type LoopName = keyof typeof loops;

/** Every operation, in the order of the subjects. */
export const operationIndex: readonly (OperationEntry & { readonly subject: Name })[] = [
${entries.join("\n")}
];
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
