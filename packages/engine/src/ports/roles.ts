import { misfitAt } from "../contract/misfit-at.ts";
import { ownPermissions } from "../contract/own-permissions.ts";
import { MANAGE_TENANTS, RUN_AGENTS } from "../contract/permissions.ts";

/** What a tenant's own people may have: tenants themselves are not theirs to manage. */
const ofTheEngine = ownPermissions.filter((permission) => permission !== MANAGE_TENANTS);

/** Roles that every tenant has. A permission is `area.scope.verb`; `*` stands for any one part. */
export const builtinRoles: ReadonlyMap<string, readonly string[]> = new Map([
  ["owner", ["*.*.*", ...ofTheEngine]],
  ["admin", ["*.*.*", ...ofTheEngine]],
  [
    "member",
    [
      ...["*.*.read", "entities.*.create", "entities.*.update", "files.*.*", "memory.*.*", "knowledge.*.update"],
      ...["commands.*.*", "web.*.*", "browser.*.*", "code.*.*", "models.*.*", RUN_AGENTS],
    ],
  ],
  ["viewer", ["*.*.read"]],
]);

const form = /^[a-z][a-z0-9_-]{0,62}(\.(\*|[a-z][a-z0-9_-]{0,62})){2}$|^\*(\.(\*|[a-z][a-z0-9_-]{0,62})){2}$/;

/** Throws `identity_refused` for what is no permission. */
export function checkPermissions(permissions: readonly string[]): void {
  const index = permissions.findIndex((permission) => !ofTheEngine.includes(permission) && !form.test(permission));
  if (index >= 0)
    throw misfitAt(
      `/permissions/${index}`,
      "identity_refused",
      `"${permissions[index]}" is not a permission. Write area.scope.verb, as in entities.tenant.read, with * for any one part, or ${ofTheEngine.slice(0, -1).join(", ")} or ${ofTheEngine.at(-1)}.`,
    );
}

/** Throws `identity_refused` for what cannot be a role of a tenant's own. */
export function checkRole({ role, permissions }: { readonly role: string; readonly permissions: readonly string[] }): void {
  checkPermissions(permissions);
  if (builtinRoles.has(role)) throw misfitAt("/role", "identity_refused", `The role ${role} is built in. Choose another name.`);
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(role))
    throw misfitAt("/role", "identity_refused", `"${role}" is not a name for a role. Use lower-case letters, digits, - and _.`);
}

/** The permissions that patterns come to, among those that are known. What is written out counts whether it is known or not. */
export function expandPermissions(patterns: readonly string[], known: readonly string[]): readonly string[] {
  const expanded = patterns.flatMap((pattern) =>
    pattern.includes("*") ? known.filter((permission) => covers(pattern, permission)) : [pattern],
  );
  return [...new Set(expanded)].sort();
}

/** What is in both, where one side may be patterns and the other is written out. */
export function intersectPermissions(expanded: readonly string[], patterns: readonly string[]): readonly string[] {
  return expanded.filter((permission) => patterns.some((pattern) => covers(pattern, permission)));
}

function covers(pattern: string, permission: string): boolean {
  if (pattern === permission) return true;
  const [wanted, given] = [pattern.split("."), permission.split(".")];
  return wanted.length === 3 && given.length === 3 && wanted.every((part, index) => part === "*" || part === given[index]);
}
