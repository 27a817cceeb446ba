import { ToolwrightError } from "../contract/errors.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import type { SecretStore } from "../ports/secret-store.ts";

/** Hands out the declared secrets and marks each value, so that nothing the call puts out can hold it. */
export function secretsCapability(store: SecretStore): CapabilityProvider<"secrets"> {
  return {
    name: "secrets",
    open(declared, site) {
      return {
        async get(name) {
          if (!declared.includes(name)) {
            throw new ToolwrightError(
              "effect_refused",
              `Tool "${site.tool}" does not declare the secret "${name}". Add it to effects.secrets.`,
            );
          }
          const value = await store.get(site.principal.tenant, name);
          if (value === undefined) throw new ToolwrightError("secret_missing", `The secret "${name}" is not set. An operator can set it.`);
          site.taint(value);
          return value;
        },
      };
    },
  };
}
