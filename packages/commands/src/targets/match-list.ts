export interface ListRules {
  /** Stands for any number of items. */
  readonly isMany: (item: string) => boolean;
  readonly isOne: (item: string, value: string) => boolean;
}

/** Characters, with `*` for any number of them and `?` for one. */
export const letterRules: ListRules = { isMany: (item) => item === "*", isOne: (item, value) => item === "?" || item === value };

/**
 * True when a pattern stands for all values. Greedy, with one point of return, the last "many": its time grows with the product of the two lengths at
 * most, whatever the pattern.
 */
export function matchList(pattern: readonly string[], values: readonly string[], rules: ListRules): boolean {
  let at = 0;
  let back = -1;
  let backValue = 0;
  for (let value = 0; value < values.length; ) {
    const item = pattern[at];
    if (item !== undefined && rules.isMany(item)) {
      back = at++;
      backValue = value;
    } else if (item !== undefined && rules.isOne(item, values[value]!)) {
      at += 1;
      value += 1;
    } else if (back >= 0) {
      at = back + 1;
      value = ++backValue;
    } else return false;
  }
  return pattern.slice(at).every(rules.isMany);
}
