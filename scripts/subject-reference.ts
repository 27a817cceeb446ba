// Writes the reference of the subjects: all that each of them says.
import type { Loop, Operation, Subject } from "@toolwright/engine/operations";
import { builtInTools } from "../packages/server/src/built-in-tools.ts";
import { subjects } from "./product-subjects.ts";

export function writeSubjectReference(): string {
  return `# Subjects

<!-- Made by \`npm run generate\`. -->

All that is not a call of a tool belongs to a subject: what people, programs and shells can do about it, its permissions and errors, the tools by which agents reach it, and what a server or a worker does about it by
itself. [Permissions](permissions.md) and [commands](commands.md) have references of their own.

${subjects.map(describe).join("\n\n")}
`;
}

function describe({ name, operations, permissions = [], errors = {}, tools, loops = [] }: Subject): string {
  const own = tools === undefined ? [] : builtInTools.filter(({ effects = {} }) => Object.hasOwn(effects, tools));
  const lists = [
    ["Tools", own.map((tool) => code(tool.name))],
    ["Permissions", permissions.map((permission) => code(permission.name))],
    ["Errors", Object.entries(errors).map(([error, { means }]) => `${code(error)}: ${means}`)],
    ["A server or a worker", loops.map(({ about }: Loop) => about)],
  ] as const;
  const told = lists.flatMap(([title, items]) => {
    if (items.length === 0) return [];
    return title === "Errors" ? [`- ${title}:\n${items.map((item) => `  - ${item}`).join("\n")}`] : [`- ${title}: ${items.join(", ")}`];
  });
  return `## \`${name}\`\n\n${[...operations.map(writeOperation), ...told].join("\n")}`;
}

function writeOperation({ name, title, route: { method, path }, shell }: Operation): string {
  const commands = shell.map(({ form }) => code(`toolwright ${form}`));
  return `- ${code(name)}: ${title}. ${[code(`${method} /api${path}`), ...commands].join(", ")}`;
}

const code = (text: string) => `\`${text}\``;
