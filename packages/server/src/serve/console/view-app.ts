import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Built with the console. */
const builtApp = fileURLToPath(new URL("../../../console/view-app.html", import.meta.url));

/** The file that MCP clients show results with, as it was built last; undefined while there is none. */
export function openViewApp(path = builtApp): () => string | undefined {
  let kept: { readonly at: number; readonly html: string } | undefined;
  return () => {
    try {
      const at = statSync(path).mtimeMs;
      if (kept?.at !== at) kept = { at, html: readFileSync(path, "utf8") };
      return kept.html;
    } catch (error) {
      // Also for the moment in which a newer build takes its place.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  };
}
