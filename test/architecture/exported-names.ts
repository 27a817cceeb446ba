import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withoutComments } from "./source-files.ts";

/** Names that a module exports, types marked as such, through every re-export of its own package. */
export function exportedNames(file: string): string[] {
  return [...collect(file)].sort();
}

function collect(file: string): Set<string> {
  const code = withoutComments(readFileSync(file, "utf8"));
  const names = new Set<string>();
  for (const [, specifier] of code.matchAll(/^export \* from "(\.[^"]+)"/gm)) {
    for (const name of collect(join(dirname(file), specifier as string))) names.add(name);
  }
  for (const [, kind, list] of code.matchAll(/^export (type )?\{([^}]*)\}/gm))
    for (const name of namesIn(list as string, kind !== undefined)) names.add(name);
  for (const [, keyword, name] of code.matchAll(
    /^export (?:declare )?(?:async )?(?:abstract )?(interface|type|const|function\*?|class|let) (\w+)/gm,
  )) {
    names.add(keyword === "interface" || keyword === "type" ? `type ${name}` : (name as string));
  }
  return names;
}

function namesIn(list: string, areTypes: boolean): string[] {
  const items = list.split(",").map((item) => item.trim());
  return items.filter(Boolean).map((item) => {
    const name = item.split(/\s+as\s+/).at(-1) as string;
    return areTypes && !name.startsWith("type ") ? `type ${name}` : name;
  });
}
