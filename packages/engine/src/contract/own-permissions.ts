import * as names from "./permissions.ts";

/** The permissions that the engine asks for itself, by name; tools ask for others, `area.scope.verb`. */
export const ownPermissions: readonly string[] = Object.values(names).sort();
