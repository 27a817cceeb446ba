import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The forms of a value that searches look for: whole, and a part in its middle, since a part of it is as bad. */
export function tracesOf(value: string): readonly string[] {
  return [value, value.slice(6, 22)].flatMap((text) => {
    const bytes = Buffer.from(text);
    const shifted = [0, 1, 2].map((offset) => {
      const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
      return encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6));
    });
    const urls = shifted.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
    return [
      text,
      JSON.stringify(text).slice(1, -1),
      encodeURIComponent(text),
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
      ...shifted,
      ...urls,
    ];
  });
}

/** Names of the secrets that stand in a text, in any form. */
export function findTraces(text: string, secrets: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(secrets).flatMap(([name, value]) =>
    tracesOf(value).flatMap((trace) =>
      text.includes(trace) ? [`${name} as ${trace} in ${text.slice(Math.max(0, text.indexOf(trace) - 60), text.indexOf(trace) + 60)}`] : [],
    ),
  );
}

/** Every file of a folder by its path, and a file as itself. One that is gone by now is left out: databases take files away at any time. */
export function readBelow(path: string): ReadonlyMap<string, string> {
  if (!existsSync(path)) return new Map();
  const paths = statSync(path).isFile() ? [path] : readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
  return new Map(paths.flatMap((file) => (statSync(file, { throwIfNoEntry: false })?.isFile() ? readIfThere(file) : [])));
}

function readIfThere(file: string): readonly (readonly [path: string, text: string])[] {
  try {
    return [[file, readFileSync(file, "latin1")]];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Command lines of the processes below this one, and the environments of those below the given one. */
export function lookAtProcesses(given: number): string {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parents = new Map(ids.map((id) => [id, /\) \S (\d+)/.exec(readQuietly(`/proc/${id}/stat`))?.[1] ?? ""]));
  const isBelow = (id: string, above: number): boolean => {
    const parent = parents.get(id);
    return parent !== undefined && (parent === String(above) || isBelow(parent, above));
  };
  const ours = ids.filter((id) => isBelow(id, process.pid));
  const lines = new Map(ours.map((id) => [id, readQuietly(`/proc/${id}/cmdline`)]));
  // Between fork and exec a child is its parent, environment and all; the command line, read first, tells.
  const hasBegun = (id: string) => lines.get(id) !== lines.get(parents.get(id) ?? "");
  return ours.flatMap((id) => [lines.get(id), isBelow(id, given) && hasBegun(id) ? readQuietly(`/proc/${id}/environ`) : ""]).join("\n");
}

/** Processes end while they are looked at. */
function readQuietly(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
