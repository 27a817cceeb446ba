import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The server puts the nonce of a response where this stands. */
export const nonceMark = "{nonce}";

export default defineConfig({
  root: local("."),
  // The server serves the files itself, with their headers.
  publicDir: false,
  plugins: [react()],
  resolve: {
    // The client comes from the sources beside this folder.
    conditions: ["@toolwright/source", "module", "browser"],
    alias: {
      // Descriptions of foreign tools stay text: rjsf would read them as Markdown, with 31 kB more to load.
      // Named by a helper for rjsf's own tests, which no page imports.
      "@rjsf/validator-ajv8": local("src/form/validator.ts"),
      "markdown-to-jsx/react": local("src/form/plain-text.tsx"),
      // All scales of d3 would be more than a chart may load.
      "victory-vendor/d3-scale": local("src/result/scales.ts"),
    },
    dedupe: ["react", "react-dom"],
  },
  html: { cspNonce: nonceMark },
  build: {
    target: "es2022",
    manifest: "manifest.json",
    // As `data:` they would be outside of what the content security policy names.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
  },
});
