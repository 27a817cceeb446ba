import { z } from "zod";
import { digest } from "../contract/digest.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import { giveGrant, listGrants, revokeGrant } from "../gate/grants/manage-grants.ts";
import { fitInput } from "../gate/prepare-call.ts";
import type { GrantPredicate, GrantTerms } from "../ports/grant-store.ts";
import type { OperationContext } from "./define-operation.ts";
import { predicate } from "./grants.ts";
import { requireTool } from "./tool-schemas.ts";

const thisInput = z.object({ kind: z.literal("input") }).describe("Exactly this input");
const words = z
  .string()
  .describe("In words: input (exactly this one), command git push *, path write docs, or request GET api.example.org");
const allowance = z.union([predicate, thisInput, words]);

export const allows = z.array(allowance).optional().describe("What would ask a person and runs unasked");

type Context = Pick<OperationContext, "principal" | "scope" | "parts">;

/** As the call would: a misspelt member is told to whoever is there, not found when nobody is. For a tenant that is suspended nothing is to run. */
export async function checkCall({ tool, input }: { readonly tool: string; readonly input: unknown }, context: Context): Promise<void> {
  const { tenant } = context.principal;
  const known = await context.parts.tenants.get?.(tenant);
  if (known?.suspendedAt !== undefined) {
    const message = `The tenant ${tenant} is suspended, so nothing runs for it. With toolwright tenants resume ${tenant} it goes on.`;
    throw new ToolwrightError("tenant_suspended", message);
  }
  requireTool(tool, context);
  const { misfit } = context.scope.why(tool, input);
  if (misfit !== undefined) throw new ToolwrightError("invalid_input", misfit);
}

/** What is allowed to a call of this tool with this input, whichever way it was said. */
export function readAllowances(
  said: readonly z.output<typeof allowance>[],
  { tool, input }: { readonly tool: string; readonly input: Json },
  { principal, parts }: Pick<Context, "principal" | "parts">,
): readonly GrantPredicate[] {
  const thisOne = (): GrantPredicate => {
    const found = parts.snapshot(principal.tenant).find(tool);
    const fitted = found && fitInput(found, principal, input);
    return { kind: "input", digest: digest(fitted && "value" in fitted ? fitted.value : input) };
  };
  return said.map((each) => {
    const read = typeof each === "string" ? readWords(each) : each;
    return read.kind === "input" && !("digest" in read) ? thisOne() : (read as GrantPredicate);
  });
}

function readWords(said: string): GrantPredicate | z.output<typeof thisInput> {
  const [kind, first = "", second = "", credential] = said.trim().split(/\s+/);
  const rest = said
    .trim()
    .slice((kind ?? "").length)
    .trim();
  if (kind === "input" && rest === "") return { kind };
  if (kind === "command" && rest !== "") return { kind, pattern: rest };
  if (kind === "path" && isAccess(first) && second !== "") return { kind, access: first, prefix: second };
  if (kind === "request" && second !== "")
    return { kind, method: first.toUpperCase(), host: second, ...(credential !== undefined && { credential }) };
  throw new ToolwrightError(
    "invalid_input",
    `${JSON.stringify(said)} says nothing that can be allowed. Write "input" (for exactly this input), "command git status *", "path write docs" or "request GET api.example.org".`,
  );
}

const isAccess = (word: string): word is "read" | "write" | "delete" => word === "read" || word === "write" || word === "delete";

interface Allowance {
  readonly tool: string;
  readonly session: string | undefined;
  readonly allows: readonly GrantPredicate[];
  readonly terms: Omit<GrantTerms, "scope">;
}

/** Allows it in the session alone, then makes what it is for; where that fails, the allowance is taken back. */
export async function allowedIn<Made>(
  { tool, session, allows: allowed, terms }: Allowance,
  { principal, parts }: Context,
  make: () => Promise<Made>,
): Promise<Made> {
  if (session === undefined || allowed.length === 0) return make();
  const { record } = await giveGrant({ principal, session }, { tool, allows: allowed, scope: "session", ...terms }, parts);
  try {
    return await make();
  } catch (error) {
    await revokeGrant(principal, record.id, parts);
    throw error;
  }
}

/** Ends all that was allowed to a session. */
export async function revokeAllowed(session: string, { principal, parts }: Context): Promise<void> {
  for (const { record } of await listGrants(principal, parts))
    if (record.scope.kind === "session" && record.scope.session === session) await revokeGrant(principal, record.id, parts);
}
