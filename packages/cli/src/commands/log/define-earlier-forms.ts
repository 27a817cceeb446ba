/**
 * The command line, with forms of version 0.1 written as they are now: `usage --limits`, `usage --models --by agent` and `usage --by model`.
 * They leave with the next version.
 */
export function inRegularForm(argv: readonly string[]): readonly string[] {
  const [first, ...words] = argv;
  if (first !== "usage") return argv;
  if (words.includes("--limits")) return ["usage", "limits", ...words.filter((word) => word !== "--limits")];
  const by = words.some((word) => word.startsWith("--by"));
  // Alone it never chose a group.
  if (words.includes("--models") && by) return ["usage", "models", ...words.filter((word) => word !== "--models")];
  const isOfModels = words.includes("--by=model") || words.some((word, index) => word === "--by" && words[index + 1] === "model");
  return isOfModels && words[0] !== "models" ? ["usage", "models", ...words] : argv;
}
