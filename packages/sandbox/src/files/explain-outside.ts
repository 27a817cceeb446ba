import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { explainRefusal, isInside } from "../exec/confine-workdir.ts";

/** Why a path is refused as one outside the workspace, or undefined: by its text, and by the links on its way as they are now. */
export async function explainOutside(workspaceOf: () => string, path: string): Promise<string | undefined> {
  return explainRefusal(async () => {
    const workspace = workspaceOf();
    const root = await realPlace(workspace);
    const wanted = path.startsWith("/") ? path : join(root, path);
    const isNamedInside = isInside(root, resolve(wanted)) || isInside(workspace, resolve(wanted));
    if (!isNamedInside || !isInside(root, await realPlace(wanted)))
      throw new Error("The path is outside the workspace; give one relative to the workspace.");
  });
}

/** Where a path leads, as far as it exists. */
async function realPlace(path: string): Promise<string> {
  const parent = dirname(path);
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || parent === path) return real ?? path;
  return join(await realPlace(parent), path.slice(parent.length));
}
