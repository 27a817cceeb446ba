import type { CommandPattern } from "@toolwright/commands";
import { hidesHost } from "@toolwright/commands/targets";

/** True when every command that the inner pattern matches is matched by the outer one; false when that is not certain. */
export function coversPattern(outer: CommandPattern, inner: CommandPattern): boolean {
  if (outer.folder && !isSameFolder(outer, inner)) return false;
  if (outer.words.length > inner.words.length) return false;
  const longer = inner.words.length > outer.words.length || inner.rest;
  if (longer && !outer.rest) return false;
  return outer.words.every((word, index) => {
    const other = inner.words[index] as CommandPattern["words"][number];
    if ("literal" in word) return "literal" in other && other.literal === word.literal;
    if ("literal" in other)
      return word.shape.test(other.literal) && !/(?:^|\/)\.\.(?:\/|$)|%2e/i.test(other.literal) && !hidesHost(other.literal);
    return word.shape.source === other.shape.source;
  });
}

/** True when both are bound to the same folder, or to none. */
export function isSameFolder({ folder: one }: CommandPattern, { folder: other }: CommandPattern): boolean {
  const textOf = (word: CommandPattern["folder"]) => word && ("literal" in word ? word.literal : word.shape.source);
  return textOf(one) === textOf(other);
}
