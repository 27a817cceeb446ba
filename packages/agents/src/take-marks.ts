import { type Clock, type ForeignMark, type ForeignMarks, hookOf, sessionsOf } from "@toolwright/engine/ports";
import type { RunSite } from "./go-on.ts";

/** What the session of a call has read counts for the conversation that the call's message goes to; and what a webhook brings nobody here wrote. */
export async function takeMarks(
  { principal, session, callId, tool }: Pick<RunSite, "principal" | "session" | "callId" | "tool">,
  conversation: string,
  { foreign, clock }: { readonly foreign?: ForeignMarks | undefined; readonly clock: Clock },
): Promise<void> {
  if (!foreign) return;
  const { tenant, actor } = principal;
  const at = clock.now();
  const hook = hookOf(actor);
  const brought: readonly ForeignMark[] = hook === undefined ? [] : [{ kind: "upstream", place: `webhook ${hook}`, callId, tool, at }];
  const others = sessionsOf(principal, session).filter((each) => each !== conversation);
  const taken = (await foreign.of(tenant, others)).map((mark) => ({ ...mark, at }));
  if (brought.length + taken.length > 0) await foreign.add({ tenant, id: conversation }, [...brought, ...taken]);
}
