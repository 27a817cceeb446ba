import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { ToolwrightError } from "@toolwright/engine/errors";
import { type Keyring, type MasterKey, masterKeyBytes } from "./keyring.ts";

/** Where a secret belongs: what was sealed for one place opens in no other. */
export interface SecretAddress {
  readonly tenant: string;
  /** Empty for one of the whole tenant. */
  readonly agent: string;
  readonly name: string;
  readonly generation: number;
  /** Where it may be sent, as text: whoever changes that in the database has a secret that does not open. */
  readonly binding: string | null;
}

export interface SealedSecret {
  readonly key_id: string;
  readonly wrapped_key: Uint8Array;
  readonly sealed: Uint8Array;
}

const algorithm = "aes-256-gcm";
/** Bytes of the nonce and of the tag, as NIST SP 800-38D recommends. */
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a value under a data key of its own, and that under the master key. */
export function sealSecret(value: string, place: SecretAddress, master: MasterKey): SealedSecret {
  const dataKey = randomBytes(masterKeyBytes);
  const sealed = encrypt(Buffer.from(value, "utf8"), createSecretKey(dataKey), associated("value", place));
  const wrapped = { key_id: master.id, wrapped_key: wrap(dataKey, place, master), sealed };
  dataKey.fill(0);
  return wrapped;
}

/** Throws `secret_unreadable`. */
export function openSecret(secret: SealedSecret, place: SecretAddress, keyring: Keyring): string {
  const dataKey = unwrap(secret, place, keyring);
  try {
    return opened(place, () => decrypt(secret.sealed, createSecretKey(dataKey), associated("value", place))).toString("utf8");
  } finally {
    dataKey.fill(0);
  }
}

/** Wraps a secret under the current master key without decrypting the value. Throws `secret_unreadable`. */
export function rewrapSecret(secret: SealedSecret, place: SecretAddress, keyring: Keyring): SealedSecret {
  const dataKey = unwrap(secret, place, keyring);
  const master = keyring.current();
  const rewrapped = { ...secret, key_id: master.id, wrapped_key: wrap(dataKey, place, master) };
  dataKey.fill(0);
  return rewrapped;
}

function wrap(dataKey: Buffer, place: SecretAddress, master: MasterKey): Buffer {
  return encrypt(dataKey, master.key, associated(`key ${master.id}`, place));
}

function unwrap({ key_id, wrapped_key }: SealedSecret, place: SecretAddress, keyring: Keyring): Buffer {
  const master = keyring.find(key_id);
  if (!master)
    throw unreadable(place, `was encrypted under the master key ${key_id}, which this process does not have. Give it that key as well`);
  return opened(place, () => decrypt(wrapped_key, master.key, associated(`key ${key_id}`, place)));
}

/** A fresh nonce each time, then the text, then the tag. */
function encrypt(plain: Buffer, key: KeyObject, data: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(data);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(sealed: Uint8Array, key: KeyObject, data: Buffer): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw new Error("It is too short.");
  const end = sealed.length - tagBytes;
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(data).setAuthTag(sealed.subarray(end));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()]);
}

/** JSON keeps the parts apart: no two places have the same text. */
function associated(what: string, { tenant, agent, name, generation, binding }: SecretAddress): Buffer {
  const parts = ["toolwright secret 1", what, tenant, agent, name, generation];
  return Buffer.from(JSON.stringify(binding === null ? parts : [...parts, binding]), "utf8");
}

function opened(place: SecretAddress, decrypting: () => Buffer): Buffer {
  try {
    return decrypting();
  } catch (cause) {
    throw unreadable(
      place,
      "is damaged, or was written for another tenant, agent, name, generation or for other hosts. Restore its row from a backup",
      cause,
    );
  }
}

function unreadable(place: SecretAddress, what: string, cause?: unknown): ToolwrightError {
  const remedy = `or set the secret again with toolwright secrets set ${place.name}${place.agent === "" ? "" : ` --agent ${place.agent}`}.`;
  return new ToolwrightError("secret_unreadable", `The secret ${describeSecret(place)} ${what}, ${remedy}`, { cause });
}

/** In words, for messages. */
function describeSecret({ tenant, agent, name }: Pick<SecretAddress, "tenant" | "agent" | "name">): string {
  return `"${name}" of ${agent === "" ? "" : `the agent "${agent}" in `}the tenant "${tenant}"`;
}
