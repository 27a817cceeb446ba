// Writes the reference of the permissions that operations ask for, from the subjects that say them.
import type { Permission } from "@toolwright/engine/operations";
import { builtinRoles } from "@toolwright/engine/ports";
import { operations, permissions } from "./product-subjects.ts";

export function writePermissionReference(): string {
  return `# Permissions

<!-- Made by \`npm run generate\`. -->

Operations ask for these. Tools ask for others, \`area.scope.verb\`, as \`toolwright tools show TOOL\` says; a [role](../guide/identity.md#roles-and-permissions) may have both. Operations that anybody may use look at a
permission before they show or change what belongs to somebody else; their descriptions say which.

${permissions.map(describe).join("\n\n")}
`;
}

function describe({ name, about }: Permission): string {
  const asking = operations.filter(({ permission }) => permission === name);
  const who = asking.length > 0 && asking.every(({ onlyPeople }) => onlyPeople) ? "A person who" : "Whoever";
  const roles = [...builtinRoles].filter(([, given]) => given.includes(name)).map(([role]) => role);
  const lines = [
    `- Built-in roles that have it: ${roles.join(", ") || "none; whoever runs the server has it"}`,
    ...(asking.length > 0 ? [`- Operations that need it: ${asking.map((each) => `\`${each.name}\``).join(", ")}`] : []),
  ];
  return `## \`${name}\`\n\n${who} has it may ${about}.\n\n${lines.join("\n")}`;
}
