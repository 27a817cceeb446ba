import { readSecretOrigin } from "@toolwright/commands/targets";
import { misfitAt } from "../contract/misfit-at.ts";
import { definePort } from "./define-port.ts";
import type { SecretBinding } from "./secret-store.ts";

export interface SecretName {
  readonly tenant: string;
  /** Left out for a secret of the whole tenant. */
  readonly agent?: string | undefined;
  readonly name: string;
}

/** All that is ever shown of a secret. */
export interface SecretEntry extends SecretName, SecretBinding {
  /** As `SecretStore` gives it. */
  readonly generation: string;
  /** The key that it is sealed with, where the store seals. */
  readonly keyId?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly changedAt: number;
  /** When a tool last got it. A store may be a minute behind; absent before the first use. */
  readonly lastUsedAt?: number;
  /** The tool that got it then. */
  readonly lastUsedBy?: string;
}

/** Where a secret may be sent, as an operator says it. */
export interface BindingChoice {
  /** `api.github.com`, `git.example.org:8443`, `http://127.0.0.1:8080`. */
  readonly hosts: readonly string[];
  readonly header?: string | undefined;
  readonly user?: string | undefined;
}

export interface UnreadableSecret extends SecretName {
  readonly reason: string;
}

export interface SecretCheck {
  /** They have to be set anew, or what they are read with put back. */
  readonly unreadable: readonly UnreadableSecret[];
}

/**
 * What people do with secrets: what was set can be used by tools, replaced and removed, but not looked at.
 * *Contract:* no answer and no error holds a value; the store of the same process knows of a change when it resolves.
 */
export interface SecretAdmin {
  /** Replaces value and binding at once: to send a secret elsewhere, one has to know it. Rejects with `invalid_input`. */
  set(secret: SecretName, value: string, binding?: BindingChoice): Promise<SecretEntry>;
  /** False when there was none. */
  remove(secret: SecretName): Promise<boolean>;
  /** By name, the tenant's before those of its agents. A first use that this process noted before is shown. */
  list(tenant: string): Promise<readonly SecretEntry[]>;
  /** Tries to read every secret of every tenant. */
  check(): Promise<SecretCheck>;
}

export const secretsPort = definePort<Pick<SecretAdmin, "list" | "remove" | "set">>()(
  "secrets",
  "a store of secrets, such as createMemorySecretStore()",
);

/** A shorter value can be guessed, and to take it out of output would tear ordinary words apart. */
const shortestValue = 6;
const mostBytes = 65_536;
const mostOrigins = 50;
/** RFC 9110 section 5.6.2. */
const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

export const secretNameForm = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
export const notASecretName =
  'That is no name for a secret; it is not repeated here, since it may be a secret. Begin with a letter, and use at most 128 letters, digits, "_", "." and "-".';

/** Throws `invalid_input` for what cannot name a secret. */
export function checkSecretName({ name, agent }: SecretName): void {
  if (!secretNameForm.test(name)) throw refuse("/name", notASecretName);
  if (agent !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(agent))
    throw refuse("/agent", `${JSON.stringify(agent)} is no agent. Leave the agent out for a secret of the whole tenant.`);
}

/** Throws `invalid_input` for what cannot be a value; the value itself is in no message. */
export function checkSecretValue(value: string, name: string): void {
  const problem = problemOf(value);
  if (problem !== undefined) throw refuse("/value", `The value for the secret "${name}" ${problem}`);
}

function problemOf(value: string): string | undefined {
  if (value.length < shortestValue)
    return `has ${value.length} characters. Give one of at least ${shortestValue}: shorter ones are easily guessed, and cannot be kept out of what tools put out.`;
  if (!value.isWellFormed()) return "is not well-formed text. Binary values are stored as base64.";
  const bytes = Buffer.byteLength(value, "utf8");
  return bytes > mostBytes ? `has ${bytes} bytes, more than ${mostBytes}. Store a key for it, and the value elsewhere.` : undefined;
}

/** The binding that an operator chose. Throws `invalid_input`. */
export function toSecretBinding({ hosts, header, user }: BindingChoice): SecretBinding {
  if (hosts.length === 0 && header === undefined && user === undefined) return { origins: [] };
  if (hosts.length === 0) throw refuse("/hosts", "A header or user name says how a secret is sent. Say where, with at least one host.");
  if (hosts.length > mostOrigins) throw refuse("/hosts", `A secret is bound to at most ${mostOrigins} hosts, not to ${hosts.length}.`);
  if (header !== undefined && user !== undefined)
    throw refuse("/header", "A secret is sent in a header, or as the password of a user; choose one.");
  if (header !== undefined && !token.test(header))
    throw refuse("/header", `${JSON.stringify(header)} is no name of a header, such as x-api-key.`);
  if (user !== undefined && !/^[^:\p{Cc}\u2028\u2029]{1,200}$/u.test(user))
    throw refuse("/user", "A user name is not empty, and holds neither a colon nor control characters.");
  const origins = [...new Set(hosts.map(toOrigin))];
  return { origins, ...(header !== undefined && { header: header.toLowerCase() }), ...(user !== undefined && { user }) };
}

function toOrigin(host: string, index: number): string {
  const origin = readSecretOrigin(host);
  if (origin !== undefined) return origin;
  throw refuse(
    `/hosts/${index}`,
    `A secret cannot be bound to ${JSON.stringify(host)}. Name one host, such as api.github.com or git.example.org:8443; no wildcards and no paths, and plain http only for a loopback address, such as http://127.0.0.1:8080.`,
  );
}

const refuse = (path: string, problem: string) => misfitAt(path, "invalid_input", problem);
