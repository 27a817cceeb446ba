import { statSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** Marks a URL as part of one fresh load. Node keeps modules by URL, so another mark is another module. */
const mark = "toolwright-load";
const marked = /[?&]toolwright-load=(\d+)/;

/** What tool files may import although nothing is installed beside them. */
const provided = /^(zod|@toolwright\/engine)(\/|$)/;

interface Load {
  /** URL of the folder, with a slash at its end. */
  readonly root: string;
  readonly stamps: Map<string, string>;
}

/** Kept for good: a tool may import more of its folder when it runs. */
const loads = new Map<string, Load>();

export interface FreshModule {
  readonly namespace: { readonly default?: unknown };
  /** The state of every file of the folder that the module is made of, as it was just before it was read. */
  readonly stamps: ReadonlyMap<string, string>;
}

/**
 * Imports a file as if for the first time, together with every file below `root` that it imports. `zod` and `@toolwright/engine`
 * come from here when the file's own folder has none. Rejects with the import's own error.
 */
export async function importFresh(file: URL, root: URL): Promise<FreshModule> {
  if (loads.size === 0) registerHooks({ resolve: resolveMarked });
  const id = String(loads.size + 1);
  const stamps = new Map<string, string>();
  loads.set(id, { root: root.href, stamps });
  const url = new URL(file);
  url.searchParams.set(mark, id);
  try {
    return { namespace: (await import(url.href)) as FreshModule["namespace"], stamps };
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll(new RegExp(marked, "g"), "");
    throw error;
  }
}

/** Changes whenever the file does. */
export function stampOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.mtimeNs}:${stats.size}:${stats.ino}` : "missing";
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;

const resolveMarked: Resolve = (specifier, context, next) => {
  const isEntry = marked.test(specifier);
  const id = marked.exec(isEntry ? specifier : (context.parentURL ?? ""))?.[1];
  const load = id === undefined ? undefined : loads.get(id);
  if (id === undefined || load === undefined) return next(specifier, context);
  const resolved = resolveProvided(specifier, context, next);
  const url = new URL(resolved.url);
  const isInFolder = url.protocol === "file:" && url.href.startsWith(load.root) && !url.pathname.includes("/node_modules/");
  if (!isEntry && !isInFolder) return resolved;
  const path = fileURLToPath(url);
  load.stamps.set(path, stampOf(path));
  url.searchParams.set(mark, id);
  return { ...resolved, url: url.href, format: formatOf(path) ?? resolved.format ?? null };
};

function resolveProvided(specifier: string, context: Parameters<Resolve>[1], next: Parameters<Resolve>[2]): ReturnType<Resolve> {
  try {
    return next(specifier, context);
  } catch (error) {
    if (!provided.test(specifier)) throw error;
    return next(specifier, { ...context, parentURL: import.meta.url });
  }
}

/** Tool files are modules, whatever package.json stands above them, or none. */
function formatOf(path: string): "module" | "module-typescript" | undefined {
  if (/\.m?ts$/.test(path)) return "module-typescript";
  return path.endsWith(".tool.js") ? "module" : undefined;
}
