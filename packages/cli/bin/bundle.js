// In a clone the program may lie beside its sources as few files, which load in a fraction of the time. `scripts/bundle.mjs` makes them.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const bundleFolder = (root) => join(root, "node_modules", ".toolwright");

/** Undefined when there is none that can be read. */
export function readManifest(root) {
  try {
    return JSON.parse(readFileSync(join(bundleFolder(root), "manifest.json"), "utf8"));
  } catch {
    return undefined;
  }
}

/** Changes whenever the file does. */
export function stampOf(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs}:${stats.size}` : "missing";
}

/** True when it was made of the sources as they are now, where they are now. */
export function isFresh(root, manifest) {
  return (
    manifest !== undefined &&
    manifest.root === root &&
    // Of so many paths, to join each takes as long as to look at it.
    manifest.sources.every(([path, stamp]) => stampOf(`${root}/${path}`) === stamp) &&
    manifest.modules.every(([, file]) => existsSync(join(bundleFolder(root), file)))
  );
}

/** The URLs of its files by those of the sources that they stand for; undefined when there is none of these sources. */
export function findBundle(root) {
  const manifest = readManifest(root);
  if (!isFresh(root, manifest)) return undefined;
  const url = (file) => pathToFileURL(join(bundleFolder(root), file)).href;
  return new Map(manifest.modules.map(([source, file, isOurs]) => [source, { url: url(file), isOurs }]));
}

/** Makes it for the next command, in a process of its own that nobody waits for. */
export function makeBundle(root) {
  const script = join(root, "scripts", "bundle.mjs");
  try {
    accessSync(join(root, "node_modules"), constants.W_OK);
    accessSync(join(root, "node_modules", "rolldown", "package.json"));
    accessSync(script);
  } catch {
    return;
  }
  spawn(process.execPath, [script], { cwd: root, env: {}, detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref();
}
