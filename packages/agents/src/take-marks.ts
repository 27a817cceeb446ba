import { type Clock, type ForeignMarks, sessionsOf } from "@toolwright/engine/ports";
import type { RunSite } from "./go-on.ts";

/** What the session of a call has read counts for the conversation that the call's message goes to. */
export async function takeMarks(
  { principal, session }: Pick<RunSite, "principal" | "session">,
  conversation: string,
  { foreign, clock }: { readonly foreign?: ForeignMarks | undefined; readonly clock: Clock },
): Promise<void> {
  const { tenant } = principal;
  const others = sessionsOf(principal, session).filter((each) => each !== conversation);
  const marks = (await foreign?.of(tenant, others)) ?? [];
  const at = clock.now();
  if (marks.length > 0)
    await foreign?.add(
      { tenant, id: conversation },
      marks.map((mark) => ({ ...mark, at })),
    );
}
