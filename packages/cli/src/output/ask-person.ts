import type { ApprovalOutcome, ApprovalRecord, RememberOffer } from "@toolwright/engine";
import { describeApproval, describeOffer } from "@toolwright/engine/policy";
import type { Io } from "../io.ts";

/** Undefined when nobody answered. Anything but a yes is a no, and a plain yes is for this call only. */
export async function askPerson(io: Io, record: ApprovalRecord, offer: RememberOffer): Promise<ApprovalOutcome | undefined> {
  io.err(`\nThis call waits for you:\n\n${describeApproval(record)}\n\n${describeOffer(offer)}\n\n`);
  const others = offer.choices.map(({ scope, title }) => `  ${scope.padEnd(8)} run it, and remember the yes ${title}\n`);
  if (others.length > 0) io.err(`  y        run it, this call only\n${others.join("")}  anything else is a no\n\n`);
  const words = (await io.ask("Run it, once? [y/N] "))?.trim().toLowerCase();
  if (words === undefined) return undefined;
  const chosen = offer.choices.find(({ scope }) => scope === words);
  if (chosen) return { kind: "approve", remember: { scope: chosen.scope } };
  return words === "y" || words === "yes" ? { kind: "approve" } : { kind: "deny" };
}
