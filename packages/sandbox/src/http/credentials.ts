import { allowsTarget, type HostAndPort, parseHostRule, type SecretStore, ToolwrightError } from "@toolwright/engine";

/** A secret that is sent to these hosts, over https, and to no other. */
export interface HostBoundSecret {
  /** Name in the secret store. */
  readonly secret: string;
  /** Host rules. */
  readonly hosts: readonly string[];
  /** Default `authorization`. */
  readonly header?: string;
  /** Put before the value. Default `Bearer `. */
  readonly prefix?: string;
}

export interface Credentials {
  readonly bindings: readonly HostBoundSecret[];
  readonly secrets: SecretStore;
}

export interface CredentialHeader {
  readonly name: string;
  readonly value: string;
  /** The bare secret, which must not appear in anything the call puts out. */
  readonly secret: string;
}

/** The header that carries a secret to a host. Throws `url_refused` when it is not bound to that host, `secret_missing` when it is not set. */
export async function findCredential(
  name: string,
  target: HostAndPort & { readonly url: URL; readonly tenant: string; readonly agent?: string | undefined },
  credentials: Credentials | undefined,
): Promise<CredentialHeader> {
  const binding = credentials?.bindings.find((candidate) => candidate.secret === name && isBound(candidate, target));
  if (!credentials || !binding || target.url.protocol !== "https:") {
    throw new ToolwrightError(
      "url_refused",
      `The credential ${JSON.stringify(name)} may not be sent to ${target.url.origin}; an operator binds it to hosts, and it is sent over https only.`,
    );
  }
  const secret = await credentials.secrets.get(target.tenant, name, target.agent);
  if (secret === undefined) throw new ToolwrightError("secret_missing", `The secret ${name} is not configured; an operator must set it.`);
  return { name: (binding.header ?? "authorization").toLowerCase(), value: `${binding.prefix ?? "Bearer "}${secret}`, secret };
}

function isBound(binding: HostBoundSecret, target: HostAndPort): boolean {
  return binding.hosts.some((text) => {
    const rule = parseHostRule(text);
    return rule !== undefined && allowsTarget(rule, target);
  });
}
