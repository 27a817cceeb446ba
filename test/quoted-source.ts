import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./architecture/source-files.ts";

/** The text of a file, or of a region of one: `examples/story/main.ts#region`. What is not there is answered in words. */
export function quotedSource(source: string): string {
  const [path = "", region] = source.split("#");
  const whole = readFileSync(join(root, path), "utf8");
  if (region === undefined) return whole.trimEnd();
  const found = new RegExp(`^// #region ${region}\\n([\\s\\S]*?)^// #endregion$`, "m").exec(whole);
  return found?.[1]?.trimEnd() ?? `There is no region "${region}" in ${path}.`;
}
