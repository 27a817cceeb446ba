import { ToolwrightError } from "../../contract/errors.ts";
import type { CapabilityProvider } from "../../ports/capability.ts";
import type { SecretStore } from "../../ports/secret-store.ts";

/** Hands out the declared secrets and marks each value, so that nothing the call puts out can hold it. */
export function secretsCapability(store: SecretStore): CapabilityProvider<"secrets"> {
  return {
    name: "secrets",
    open(declared, site) {
      const { tenant, agent } = site.principal;
      const generations = () => declared.map((name) => store.generation(tenant, name, agent));
      const approved = site.approved ? generations().join() : undefined;
      return {
        async get(name) {
          if (!declared.includes(name)) {
            throw new ToolwrightError(
              "effect_refused",
              `Tool "${site.tool}" does not declare the secret "${name}". Add it to effects.secrets.`,
            );
          }
          const value = await store.get(tenant, name, agent);
          if (value === undefined) throw new ToolwrightError("secret_missing", `The secret "${name}" is not set. An operator can set it.`);
          site.taint(value);
          // What the approval was checked against may have been set anew by another process a moment before.
          if (approved !== undefined && approved !== generations().join())
            throw new ToolwrightError("approval_void", "A secret was set again after the call was approved. Ask for approval again.");
          store.noteUse({ tenant, name, agent, tool: site.tool });
          return value;
        },
      };
    },
  };
}
