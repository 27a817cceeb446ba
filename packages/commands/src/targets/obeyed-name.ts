import { harmlessDotNames, removableDotNames } from "./harmless-dot-names.ts";
import { toExpression } from "./name-patterns.ts";
import { obeyedPlainNames } from "./obeyed-plain-names.ts";

const harmless = new RegExp(`^(?:${toExpression(harmlessDotNames)})$`);
const removable = new RegExp(`^(?:${toExpression(removableDotNames)})(?:/|$)`);
const plain = new RegExp(`(?:^|/)(?:${toExpression(obeyedPlainNames)})(?:/|$)`);
/** Not two dots: no tool looks for `..data`. */
const dotName = /^\.(?!\.)/;
/** The form that Windows gives to a name beside its own, whose beginning no longer tells what it was. */
const shortForm = /^[^.]{1,8}~\d{1,6}(?:\.[^.]{0,3})?$/;

/**
 * True when a tool other than ours may obey a file at the path once somebody opens the folder or starts that tool: any name that begins
 * with a dot and is not known as harmless, and the names without one that are known to be obeyed.
 * @param names - folded parts of the path.
 */
export function isObeyed(names: readonly string[], access: "write" | "delete"): boolean {
  if (plain.test(names.join("/")) || names.some((name) => shortForm.test(name))) return true;
  return names.some((name, index) => {
    if (!dotName.test(name)) return false;
    const below = names.slice(index).join("/");
    return !(harmless.test(below) || (access === "delete" && removable.test(below)));
  });
}
