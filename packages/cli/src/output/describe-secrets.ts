import type { UnreadableSecret } from "@toolwright/engine/ports";
import type { KeyCheck } from "@toolwright/postgres";
import { count } from "@toolwright/server/text";

/** Which keys are needed, and which secrets cannot be read. */
export function describeCheck({ currentKeyId, needed, unreadable }: KeyCheck, place: string): string {
  const keys = needed.map(({ keyId, secrets, isCurrent, isKnown }) => {
    const state = isCurrent ? "the current one" : isKnown ? "an old one: toolwright secrets rotate" : "not at hand: put it back";
    return `${keyId}  needed by ${count(secrets, "secret")}, ${state}\n`;
  });
  const head = `Master keys from ${place}; ${currentKeyId === "none" ? "there is none yet" : `${currentKeyId} encrypts`}.\n`;
  const rest = "Keys that are not named here are not needed by this database; backups of it may need them.\n";
  return head + (keys.length === 0 ? "No secrets are set.\n" : keys.join("") + rest) + describeUnreadable(unreadable);
}

export function describeUnreadable(unreadable: readonly UnreadableSecret[]): string {
  return unreadable.map(({ reason }) => `${reason}\n`).join("");
}
