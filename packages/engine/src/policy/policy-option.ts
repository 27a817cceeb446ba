import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { defaultPolicy, type PolicyDocument, parsePolicyDocument } from "./document/policy-document.ts";
import { describeIssues } from "./document/policy-problem.ts";
import type { PolicyTier } from "./policy.ts";

const autonomy = z.enum(["read_only", "supervised", "full"]);
const handles = z.array(z.string()).readonly();
const shorthand = z.strictObject({
  autonomy: autonomy.optional(),
  allow: handles.optional(),
  ask: handles.optional(),
  deny: handles.optional(),
});

/** A policy in a line: `{ ask: ["refund"], deny: ["group:fs"] }`. Names of tools, or `group:<name>`; with `allow`, only these may be called. */
export type PolicyShorthand = z.input<typeof shorthand>;

/**
 * What an engine takes as its policy: an autonomy for the default policy, a shorthand, a document, or the documents of all tiers.
 *
 * @example examples/policy/main.ts#option
 * ```ts
 * const careful: PolicyOption = { autonomy: "full", ask: ["group:runtime"], deny: ["file_delete"] };
 * engine.setPolicy(careful);
 * ```
 */
export type PolicyOption = z.input<typeof autonomy> | PolicyShorthand | PolicyDocument | readonly PolicyTier[];

/** The tiers that the option means. Throws `policy_invalid` when it is none of them. */
export function tiersOf(option: PolicyOption): readonly PolicyTier[] {
  if (isTiers(option)) return option;
  if (typeof option === "object" && option !== null && "version" in option) return platform(parsePolicyDocument(option));
  const parsed = shorthand.safeParse(typeof option === "string" ? { autonomy: option } : option, { reportInput: true });
  if (!parsed.success) throw refuse(describeIssues(parsed.error, shorthand).map(({ text }) => text));
  const { autonomy: chosen, ...tools } = parsed.data;
  const named = Object.keys(tools).length > 0 && { tools };
  return platform(parsePolicyDocument({ ...defaultPolicy, ...(chosen && { autonomy: chosen }), ...named }, "The policy"));
}

const isTiers = (option: PolicyOption): option is readonly PolicyTier[] => Array.isArray(option);
const platform = (document: PolicyDocument): readonly PolicyTier[] => [{ tier: "platform", document }];

function refuse(problems: readonly string[]): ToolwrightError {
  const forms =
    'Give "read_only", "supervised" or "full", an object with allow, ask and deny, a document with version: 1, or a list of tiers.';
  return new ToolwrightError("policy_invalid", `The policy is not valid: ${problems.join("; ")}. ${forms}`);
}
