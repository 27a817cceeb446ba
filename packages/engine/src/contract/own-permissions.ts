import * as names from "./permissions.ts";

/** Name of a permission that the engine asks for itself, such as `log:read`. */
export type OwnPermission = (typeof names)[keyof typeof names];

/** The permissions that the engine asks for itself, by name; tools ask for others, `area.scope.verb`. */
export const ownPermissions: readonly string[] = Object.values(names).sort();
