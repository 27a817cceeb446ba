import { sha256 } from "../../contract/digest.ts";

/**
 * A name that a target accepts: the name itself where it fits, else its legal characters and a digest of the whole name. The same name always
 * gives the same alias, whatever other names there are.
 */
export function nameForTarget(name: string, accepted: RegExp): string {
  if (accepted.test(name)) return name;
  const legal = name.replaceAll(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=[^a-zA-Z_])/, "_");
  return `${legal.slice(0, 55)}_${sha256(name).slice(0, 8)}`;
}
