import { count } from "../../contract/visible-text.ts";
import type { KeyCheck, NeededKey, Rotation } from "../../ports/master-keys.ts";
import type { SecretEntry } from "../../ports/secret-admin.ts";
import type { Rendering } from "../shell.ts";

export const secretsView: Rendering<{ readonly items: readonly SecretEntry[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["No secrets are set: toolwright secrets set NAME"]
      : [{ head: ["name", "of", "sent to", "set", "last used", "by", "key"], rows: items.map(toRow) }],
};

function toRow({ name, agent, origins, changedAt, lastUsedAt, lastUsedBy = "-", keyId = "-" }: SecretEntry): readonly string[] {
  const where = origins.map((origin) => origin.replace(/^https:\/\//, "")).join(" ") || "-";
  const used = lastUsedAt === undefined ? "never" : new Date(lastUsedAt).toISOString();
  return [name, agent === undefined ? "everybody" : `agent ${agent}`, where, new Date(changedAt).toISOString(), used, lastUsedBy, keyId];
}

export const secretRemovedView: Rendering<{ readonly removed: string }> = {
  show: ({ removed }, { input: { agent } }) => [
    { note: `Removed the secret ${removed}${agent === undefined ? "" : ` of the agent ${agent}`}.` },
  ],
  json: ({ removed }, { input: { agent } }) => ({ removed, ...(agent !== undefined && { agent }) }),
};

interface SetSecret extends Pick<SecretEntry, "name" | "agent" | "origins"> {
  /** How many others need a key that is not at hand. */
  readonly lost?: number | undefined;
}

export const secretSetView: Rendering<SetSecret> = {
  show: ({ name, agent, origins, lost = 0 }, { input: { hosts, header, user } }) => [
    {
      note: `Set the secret ${name}${agent === undefined ? "" : ` of the agent ${agent}`}.${describeUse(
        origins,
        [hosts, header, user].every((each) => each === undefined),
      )} Approvals that wait for a call that uses it are void.`,
      always: true,
    },
    ...(lost === 0
      ? []
      : [
          {
            note: `${count(lost, "other secret needs", "other secrets need")} a master key that is not at hand: toolwright secrets check`,
            always: true as const,
          },
        ]),
  ],
};

function describeUse(origins: readonly string[], isKept: boolean): string {
  if (origins.length === 0) return "";
  return ` Calls that name it send it to ${origins.join(", ")}${isKept ? ", as before; --no-host ends that" : ""}.`;
}

/** Where the keys come from. */
interface Placed {
  readonly place: string;
}

/** It ends well where all secrets could be read. */
export const rotationView: Rendering<Rotation & Placed> = {
  show: ({ place, keyId, rewrapped, unreadable }) => [
    `${count(rewrapped, "secret")} came under the master key ${keyId} of ${place}.`,
    ...unreadable.map(({ reason }) => reason),
    ...(unreadable.length > 0
      ? []
      : [
          { note: "Keep the old keys as long as another database or a backup needs them: toolwright secrets check", always: true as const },
        ]),
  ],
  ends: ({ unreadable }) => (unreadable.length > 0 ? "failed" : "done"),
};

/** It ends well where all secrets could be read. */
export const keyCheckView: Rendering<KeyCheck & Placed> = {
  show: ({ place, currentKeyId, needed, unreadable }) => [
    `Master keys from ${place}; ${currentKeyId === "none" ? "there is none yet" : `${currentKeyId} encrypts`}.`,
    ...(needed.length === 0
      ? ["No secrets are set."]
      : [...needed.map(describeKey), "Keys that are not named here are not needed by this database; backups of it may need them."]),
    ...unreadable.map(({ reason }) => reason),
  ],
  ends: ({ unreadable }) => (unreadable.length > 0 ? "failed" : "done"),
};

function describeKey({ keyId, secrets, isCurrent, isKnown }: NeededKey): string {
  const state = isCurrent ? "the current one" : isKnown ? "an old one: toolwright secrets rotate" : "not at hand: put it back";
  return `${keyId}  needed by ${count(secrets, "secret")}, ${state}`;
}
