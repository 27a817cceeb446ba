import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rolldown } from "vite";

/** The file with which MCP clients show the result of a tool: `view-app.html` with its script and its styles inside, and nothing to load. */
export async function buildViewApp(web: string): Promise<string> {
  const { build } = await import("vite");
  const lib = { entry: join(web, "src/view-app/main.ts"), formats: ["iife" as const], name: "viewApp" };
  const built = await build({ root: web, configFile: false, logLevel: "warn", build: { lib, target: "es2022", write: false } });
  const [{ output }] = built as readonly [Rolldown.RolldownOutput];
  const script = output.find((file) => file.type === "chunk");
  const styles = output.find((file) => file.type === "asset" && file.fileName.endsWith(".css"));
  if (output.length !== 2 || !script || styles?.type !== "asset") throw new Error("The view app must be one script and one style sheet.");
  return readFileSync(join(web, "view-app.html"), "utf8")
    .replace('<link rel="stylesheet">', () => `<style>${asText("style", String(styles.source))}</style>`)
    .replace("<script></script>", () => `<script>${asText("script", script.code)}</script>`);
}

/** HTML, 13.2.5: what ends an element, or begins a comment in it, would not be part of the text. */
function asText(element: string, text: string): string {
  if (text.toLowerCase().includes(`</${element}`) || text.includes("<!--"))
    throw new Error(`The ${element} of the view app holds what HTML would read as markup.`);
  return text.trim();
}
