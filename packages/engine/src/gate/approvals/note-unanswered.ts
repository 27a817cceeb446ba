import type { Principal } from "../../contract/principal.ts";
import { visibleText } from "../../contract/visible-text.ts";
import { Call } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { decisionData, recordEvent } from "../record-events.ts";
import { findApproval } from "./approval-access.ts";

/** Characters of such a note: clients choose what they are called. */
const longestNote = 500;

/**
 * Puts on record that a door asked for this approval and no person answered. The approval stays as it is: the call still needs it, so the event is of
 * that type.
 */
export async function noteUnanswered(principal: Principal, id: string, { note, parts }: { note: string; parts: GateParts }): Promise<void> {
  try {
    const stored = await findApproval(principal, id, parts);
    if (!stored || stored.answer) return;
    const { callId, session, tool, decision, principal: asker, place } = stored.record;
    const call = new Call(parts, { id: callId, principal: asker, session, name: tool, options: {}, place });
    const data = { ...decisionData(decision), approval: id, note: visibleText(note).slice(0, longestNote) };
    await recordEvent(call, "tool.needs_approval", data, parts);
  } catch (error) {
    parts.logger.log("error", "That an approval was not answered could not be written to the log.", {
      approval: id,
      note,
      error: String(error),
    });
  }
}
