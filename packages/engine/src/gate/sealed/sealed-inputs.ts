import { digest } from "../../contract/digest.ts";
import type { Json } from "../../contract/json.ts";
import type { Principal } from "../../contract/principal.ts";
import { hiddenForm, type Sensitive } from "../../schema/sensitive.ts";
import type { ParsedCall } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import type { SealContext, Sealer } from "./sealer.ts";

/** An input that waits: with lengths in place of its sensitive members, and whole under encryption. */
export interface SealedInput {
  readonly input: Json;
  /** Absent where nothing of it is sensitive. */
  readonly sealed?: string;
}

type Parsed = Pick<ParsedCall, "call" | "input">;

/** Where the input of an approval is sealed. */
export const ofApproval = (tenant: string, id: string): SealContext => ({ tenant, what: `the approval ${id}` });

/** Where the input of a call is sealed that waits with calls inside. */
export const ofSuspended = (tenant: string, callId: string): SealContext => ({ tenant, what: `the call ${callId}` });

/** Where the input of a job or schedule is sealed, which is made before it has an id. */
export const ofJob = ({ tenant, actor }: Principal, tool: string): SealContext => ({
  tenant,
  what: `a job of ${tool} as ${actor.kind} ${actor.id}`,
});

/** True where the input of the call holds a sensitive member. */
const holdsSensitive = ({ call, input }: Parsed): boolean => call.input !== input;

/** A digest of something that the input went into: a keyed one where the input holds a sensitive member, since a short one is found by trying. */
export async function digestOf(parsed: Parsed, value: unknown, { sealer }: Pick<GateParts, "sealer">): Promise<string> {
  return holdsSensitive(parsed) ? sealer.digest(parsed.call.principal.tenant, value) : digest(value);
}

/** The input of a call as a store keeps it until the call goes on. */
export async function sealInput(parsed: Parsed, place: SealContext, { sealer }: Pick<GateParts, "sealer">): Promise<SealedInput> {
  const input = parsed.call.input as Json;
  return holdsSensitive(parsed) ? { input, sealed: await sealer.seal(place, parsed.input) } : { input };
}

/** The input as the call was made with it. Rejects with `secret_unreadable` where it cannot be opened. */
export async function openInput({ input, sealed }: SealedInput, place: SealContext, sealer: Sealer): Promise<Json> {
  return sealed === undefined ? input : sealer.open(place, sealed);
}

/** An edited input with what it left as lengths put back: a sensitive member that an approver does not see stays as it was. */
export function fillIn(edited: Json, original: Json, sensitive: Sensitive): Json {
  const members = new Map<string, unknown>();
  sensitive.map(original, (member, path) => {
    members.set(JSON.stringify(path), member);
    return member;
  });
  return sensitive.map(edited, (given, path) => {
    const member = members.get(JSON.stringify(path));
    return member !== undefined && given === hiddenForm(member) ? member : given;
  }) as Json;
}
