import { readSecretOrigin } from "@toolwright/commands/targets";
import { type CallSite, ToolwrightError } from "@toolwright/engine";
import type { BoundSecret, SecretStore } from "@toolwright/engine/ports";

const control = /[\p{Cc}\u2028\u2029]/u;

/**
 * The secret that a request names, if an operator bound it to the very origin of the URL: scheme, host and port (R-NW-5, CVE-2020-5260,
 * CVE-2024-50338). It is kept out of all that the call puts out from here on. Rejects with `secret_missing`, `url_refused` or `approval_void`.
 */
export async function takeBoundSecret(
  name: string,
  { origin }: URL,
  { site, secrets }: { readonly site: CallSite; readonly secrets: SecretStore | undefined },
): Promise<BoundSecret> {
  const { tenant, agent } = site.principal;
  const shown = JSON.stringify(name);
  const approved = secrets?.generation(tenant, name, agent);
  const bound = await secrets?.getBound(tenant, name, agent);
  if (!bound)
    throw new ToolwrightError(
      "secret_missing",
      `The secret ${shown} is not set. An operator sets it, and the hosts that it may be sent to.`,
    );
  if (readSecretOrigin(origin) !== origin || !bound.origins.includes(origin))
    throw new ToolwrightError(
      "url_refused",
      `The secret ${shown} may not be sent to ${origin}. An operator decides where each secret may be sent, always over https: toolwright secrets set NAME --host HOST.`,
    );
  if (bound.value === "" || control.test(bound.value))
    throw new ToolwrightError(
      "secret_missing",
      `The secret ${shown} is empty or holds line breaks or control characters, so it was not sent; an operator must set it again.`,
    );
  site.taint(bound.value);
  // What the approval was checked against may have been set anew by another process a moment before.
  if (site.approved && approved !== secrets?.generation(tenant, name, agent))
    throw new ToolwrightError("approval_void", `The secret ${shown} was set again after the call was approved. Ask for approval again.`);
  secrets?.noteUse({ tenant, name, agent, tool: site.tool });
  return bound;
}

/** HTTP Basic (RFC 7617). */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
