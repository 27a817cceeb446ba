/** A module that a text names by a literal, and what would look it up: `import`, `require`, or a URL beside the module. */
export interface Specifier {
  readonly text: string;
  readonly by: "import" | "require" | "url";
}

/** Bounded, so that no text makes the search slow. */
const gap = String.raw`(?:\s|/\*[\s\S]{0,400}?\*/|//[^\n]{0,400}\n){0,20}`;
const literal = String.raw`(?:"((?:[^"\\\n]|\\.){1,400})"|'((?:[^'\\\n]|\\.){1,400})'|${"`"}((?:[^${"`"}\\$]|\\.){1,400})${"`"})`;

const imports = new RegExp(`\\b(?:import${gap}\\(|import|from)${gap}${literal}`, "g");
const required = new RegExp(`\\brequire${gap}(?:\\.${gap}resolve${gap})?\\(${gap}${literal}`, "g");
const requiredAtOnce = new RegExp(
  `\\bcreateRequire${gap}\\([^()]{0,200}(?:\\([^()]{0,200}\\)[^()]{0,200})?\\)${gap}\\(${gap}${literal}`,
  "g",
);
const madeRequire = new RegExp(`([\\w$]+)${gap}=${gap}(?:[\\w$]+\\.)?createRequire\\b`, "g");
const besides = new RegExp(`\\bnew${gap}URL${gap}\\(${gap}${literal}${gap},${gap}import\\.meta\\.url`, "g");
const resolved = new RegExp(`\\bimport\\.meta\\.resolve${gap}\\(${gap}${literal}`, "g");
const code = /\.[cm]?[jt]s$/;

/**
 * Every specifier that a text of JavaScript or TypeScript names by a literal. Comments and strings may add some that it does not import;
 * one that is computed is not found.
 */
export function findSpecifiers(text: string): readonly Specifier[] {
  const found = new Map<string, Specifier>();
  const add = (by: Specifier["by"], pattern: RegExp, isWanted: (name: string) => boolean = () => true) => {
    for (const match of text.matchAll(pattern)) {
      const name = readLiteral(match[1] ?? match[2] ?? match[3] ?? "");
      if (name !== undefined && isWanted(name)) found.set(`${by} ${name}`, { text: name, by });
    }
  };
  add("import", imports);
  add("require", required);
  add("require", requiredAtOnce);
  for (const [, name = ""] of text.matchAll(madeRequire))
    if (name !== "require") add("require", new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}${gap}\\(${gap}${literal}`, "g"));
  add("url", besides, (name) => code.test(name));
  add("import", resolved, (name) => code.test(name));
  return [...found.values()];
}

function readLiteral(raw: string): string | undefined {
  if (!raw.includes("\\")) return raw;
  try {
    return JSON.parse(`"${raw.replaceAll(/\\(['`])/g, "$1").replaceAll(/(?<!\\)"/g, '\\"')}"`) as string;
  } catch {
    return undefined;
  }
}
