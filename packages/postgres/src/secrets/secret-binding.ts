import { readSecretOrigin } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import type { SecretBinding } from "@toolwright/engine/ports";

const mostOrigins = 50;
/** RFC 9110 section 5.6.2. */
const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** Where a secret may be sent, as an operator says it. */
export interface BindingChoice {
  /** `api.github.com`, `git.example.org:8443`, `http://127.0.0.1:8080`. */
  readonly hosts: readonly string[];
  readonly header?: string | undefined;
  readonly user?: string | undefined;
}

/** The text that is stored and sealed; null for a secret that is sent nowhere. Throws `invalid_input`. */
export function writeBinding({ hosts, header, user }: BindingChoice): string | null {
  if (hosts.length === 0 && header === undefined && user === undefined) return null;
  if (hosts.length === 0) throw refuse("A header or user name says how a secret is sent. Say where, with at least one host.");
  if (hosts.length > mostOrigins) throw refuse(`A secret is bound to at most ${mostOrigins} hosts, not to ${hosts.length}.`);
  if (header !== undefined && user !== undefined) throw refuse("A secret is sent in a header, or as the password of a user; choose one.");
  if (header !== undefined && !token.test(header)) throw refuse(`${JSON.stringify(header)} is no name of a header, such as x-api-key.`);
  if (user !== undefined && !/^[^:\p{Cc}\u2028\u2029]{1,200}$/u.test(user))
    throw refuse("A user name is not empty, and holds neither a colon nor control characters.");
  const origins = [...new Set(hosts.map(toOrigin))];
  return JSON.stringify({ origins, header: header?.toLowerCase(), user });
}

export function readBinding(text: string | null): SecretBinding {
  return text === null ? { origins: [] } : (JSON.parse(text) as SecretBinding);
}

function toOrigin(host: string): string {
  const origin = readSecretOrigin(host);
  if (origin !== undefined) return origin;
  throw refuse(
    `A secret cannot be bound to ${JSON.stringify(host)}. Name one host, such as api.github.com or git.example.org:8443; no wildcards and no paths, and plain http only for a loopback address, such as http://127.0.0.1:8080.`,
  );
}

function refuse(problem: string): ToolwrightError {
  return new ToolwrightError("invalid_input", problem);
}
