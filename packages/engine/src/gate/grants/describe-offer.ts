import { oneLine } from "../../contract/visible-text.ts";
import { describePredicate } from "../../policy/grants/grant-text.ts";
import type { RememberOffer } from "./grant-request.ts";

/** What would be saved, before it is, or why nothing is. Lines of plain text. */
export function describeOffer(offer: RememberOffer): string {
  if (!offer.proposal) return oneLine(offer.reason);
  const { tool, allows, matches, notMatches } = offer.proposal;
  const list = (texts: readonly string[]) => texts.map((text) => oneLine(text)).join("\n              ");
  return [
    `To be remembered for ${tool}:`,
    `  allows      ${list(allows.map(describePredicate))}`,
    `  matches     ${list(matches)}`,
    `  but not     ${list(notMatches)}`,
  ].join("\n");
}
