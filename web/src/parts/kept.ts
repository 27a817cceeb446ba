/** `local` is kept until it is removed, `session` until the tab closes. Where a browser keeps nothing, pages work on without. */
export type Keeper = "local" | "session";

const storeOf = (keeper: Keeper) => (keeper === "local" ? localStorage : sessionStorage);

export function readKept(keeper: Keeper, name: string): string | undefined {
  try {
    return storeOf(keeper).getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** False where it could not be kept: the browser blocks it, or its room is used up. */
export function writeKept(keeper: Keeper, name: string, value: string | undefined): boolean {
  try {
    if (value === undefined) storeOf(keeper).removeItem(name);
    else storeOf(keeper).setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
