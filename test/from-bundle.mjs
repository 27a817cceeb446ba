// Preloaded into programs of the tests: what they import of the product comes from its bundle, as in every command, where that is fresh.
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { findBundle } from "../packages/cli/bin/bundle.js";

const bundle = findBundle(fileURLToPath(new URL("..", import.meta.url)));

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const found = bundle?.get(resolved.url);
    if (found === undefined || !(found.isOurs || context.parentURL?.includes("/node_modules/"))) return resolved;
    return { ...resolved, url: found.url, format: "module" };
  },
});
