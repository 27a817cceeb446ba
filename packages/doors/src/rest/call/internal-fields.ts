import type { Principal, Scope } from "@toolwright/engine";
import { problem } from "../problem.ts";

/** The answer to a form that fills what its tool keeps from forms; undefined where it does not. */
export function refuseInternal(name: string, input: unknown, { scope, caller }: FormCall): Response | undefined {
  if (caller.door !== "form" || typeof input !== "object" || input === null) return undefined;
  const { presentation, aliases = {} } = scope.find(name) ?? {};
  const internal = presentation?.form?.internal ?? [];
  const filled = Object.keys(input).filter((member) =>
    internal.includes(Object.hasOwn(aliases, member) ? (aliases[member] ?? "") : member),
  );
  if (filled.length === 0) return undefined;
  const details = filled.map((member) => ({
    path: `/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    message: "No form fills this field.",
  }));
  const message = `No form fills ${filled.join(", ")} of ${name}. Leave ${filled.length === 1 ? "it" : "them"} out.`;
  return problem({ code: "invalid_input", message, details });
}

interface FormCall {
  readonly scope: Scope;
  readonly caller: Principal;
}
