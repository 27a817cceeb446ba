import type { Json } from "../contract/json.ts";
import { fitInput, sensitiveInput } from "../gate/prepare-call.ts";
import { ofJob, type SealedInput } from "../gate/sealed/sealed-inputs.ts";
import type { OperationContext } from "./define-operation.ts";

interface CallInput {
  readonly tool: string;
  readonly input: Json;
}

type Context = Pick<OperationContext, "parts" | "principal">;

/** The input of a call with lengths in place of sensitive members. */
export function hideCallInput({ tool, input }: CallInput, { parts, principal }: Context): Json {
  const found = parts.snapshot(principal.tenant).find(tool);
  return (found && sensitiveInput(found, principal)?.hide(input)) ?? input;
}

/** The input of a call that a worker makes later, as its store keeps it, and a digest where sensitive members are sealed. */
export async function sealCallInput(
  { tool, input }: CallInput,
  { parts, principal }: Context,
): Promise<SealedInput & { readonly inputDigest?: string }> {
  const found = parts.snapshot(principal.tenant).find(tool);
  const sensitive = found && sensitiveInput(found, principal);
  if (!sensitive) return { input };
  const fitted = fitInput(found, principal, input);
  const whole = ("misfit" in fitted ? input : fitted.value) as Json;
  const hidden = sensitive.hide(whole);
  if (hidden === whole) return { input };
  const { sealer } = parts;
  const [sealed, inputDigest] = await Promise.all([sealer.seal(ofJob(principal, tool), whole), sealer.digest(principal.tenant, whole)]);
  return { input: hidden, sealed, inputDigest };
}
