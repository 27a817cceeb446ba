import { catalogueMissing, type cataloguePort, hasAgent } from "../ports/catalogue-store.ts";
import type { OperationContext } from "./define-operation.ts";

/** Rejects with `catalogue_not_found` for an agent that the tenant does not have. One without agents describes them elsewhere, so any name may be one. */
export async function requireAgent(
  agent: string,
  { principal, ports }: Pick<OperationContext<never, typeof cataloguePort>, "principal" | "ports">,
): Promise<void> {
  const known = (await ports.catalogue?.agents.list(principal.tenant)) ?? [];
  if (known.length > 0 && !hasAgent(known, agent))
    throw catalogueMissing(
      "agent",
      agent,
      known.map((each) => each.agent),
    );
}
