import type { IndexedText } from "@toolwright/engine/ports";
import { foldText } from "./fold-text.ts";
import { detectLanguage, namesOf } from "./read-query.ts";

/** What a store keeps beside a text to find it by; `own` is its key or title and headings. */
export function indexText(text: string, own = ""): IndexedText {
  return { folded: foldText(own ? `${own}\n${text}` : text), names: namesOf(text, own), language: detectLanguage(text) };
}
