/** Paths of all functions of an object and of the objects in it, as in `approvals.get`. */
export function listFunctions(root: object, name: string, { leaveOut }: { readonly leaveOut: ReadonlySet<string> }): readonly string[] {
  return membersOf(root).flatMap((member) => {
    const path = name === "" ? member : `${name}.${member}`;
    if (leaveOut.has(path)) return [];
    const value = (root as Record<string, unknown>)[member];
    if (typeof value === "function") return [path];
    return isNested(value) ? listFunctions(value, path, { leaveOut }) : [];
  });
}

/** Its own and those of its class. */
function membersOf(object: object): readonly string[] {
  const names = new Set<string>();
  for (
    let level: object | null = object;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object | null
  )
    for (const name of Object.getOwnPropertyNames(level)) names.add(name);
  names.delete("constructor");
  return [...names].sort();
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Map) && !(value instanceof Set);
}
