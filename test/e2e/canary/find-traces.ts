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

/** The same for every file of a folder, its name included. */
export function findTracesInFolder(folder: string, secrets: Readonly<Record<string, string>>): readonly string[] {
  return filesBelow(folder).flatMap((path) =>
    findTraces(`${path}\n${readFileSync(path).toString("latin1")}`, secrets).map((trace) => `${path}: ${trace}`),
  );
}

export function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
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
