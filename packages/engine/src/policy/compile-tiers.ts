import type { Autonomy, CommandRule, CommandSettings } from "@toolwright/commands";
import { digest } from "../contract/digest.ts";
import type { NetworkRules, PathRoot, SandboxRules } from "../ports/policy-rules.ts";
import { type AfterForeign, compileAfterForeign, defaultAfterForeign } from "./after-foreign.ts";
import { type ApprovalSettings, compileApprovals } from "./approval-layer.ts";
import { compileCommands } from "./compile-commands.ts";
import { defaultPolicy, type PolicyDocument, readRate } from "./document/policy-document.ts";
import { mergeNetwork, mergeRoots, mergeSandbox } from "./merge-rules.ts";
import { type PolicyTier, type RateRule, tiers } from "./policy.ts";
import { compileTools, type ToolSettings } from "./tool-layer.ts";

/** All tiers, ready to judge. Lists hold one entry for each tier that speaks, highest first. */
export interface CompiledTiers {
  readonly revision: string;
  readonly autonomy: Autonomy;
  readonly autonomyRule: string;
  readonly tools: readonly ToolSettings[];
  readonly approvals: readonly ApprovalSettings[];
  readonly commands: readonly CommandSettings[];
  /** Rules of the highest tier that allow a command after foreign content, too: a lower one only narrows. */
  readonly freed: readonly CommandRule[];
  readonly forbidden: ReadonlyMap<string, string>;
  readonly roots: readonly PathRoot[];
  readonly network: NetworkRules;
  readonly sandbox: SandboxRules;
  readonly afterForeign: readonly AfterForeign[];
  readonly rates: readonly (RateRule & { readonly handle: string })[];
}

/** Fills in the defaults of the highest tier and compiles what each tier says. */
export function compileTiers(documents: readonly PolicyTier[]): CompiledTiers {
  const ordered = documents.toSorted((a, b) => tiers.indexOf(a.tier) - tiers.indexOf(b.tier));
  const [top = { tier: "platform" as const, document: defaultPolicy }, ...lower] = ordered;
  const given = Object.fromEntries(Object.entries(top.document).filter(([, member]) => member !== undefined));
  const paths = { ...defaultPolicy.paths, ...top.document.paths };
  const all = [{ ...top, document: { ...defaultPolicy, ...given, paths } }, ...lower];
  const prefix = ({ tier, tenant, agent }: Omit<PolicyTier, "document">) => {
    if (agent !== undefined) return `${tenant === undefined ? "" : "tenant."}agents.${agent}.`;
    return all.length > 1 ? `${tier}.` : "";
  };
  const commands = all.flatMap((tier) =>
    tier.document.commands ? [compileCommands(tier.document.commands, `${prefix(tier)}commands`)] : [],
  );
  const levels = all.map(({ document }) => document);
  const strictestTier = all.reduce((strict, next) => (rankOf(next.document) < rankOf(strict.document) ? next : strict));
  return {
    revision: digest(all.map(({ tier, document }) => ({ tier, document }))),
    autonomy: strictestTier.document.autonomy ?? "supervised",
    autonomyRule: `${prefix(strictestTier)}autonomy`,
    tools: all.flatMap((tier) => (tier.document.tools ? [compileTools(tier.document.tools, `${prefix(tier)}tools`)] : [])),
    approvals: all.flatMap((tier) =>
      tier.document.approvals ? [compileApprovals(tier.document.approvals, `${prefix(tier)}approvals`)] : [],
    ),
    commands,
    // What the highest tier leaves out has the default, so the first is its own.
    freed: [...(commands[0]?.rules.allow.values() ?? [])].flat().filter(({ afterForeign }) => afterForeign === true),
    forbidden: new Map(
      all.flatMap((tier) =>
        (tier.document.paths?.forbidden ?? []).map(
          (path, index) => [path.replace(/(?<=[^/])\/+$|(?<=^\/)\/+$/, ""), `${prefix(tier)}paths.forbidden[${index}]`] as const,
        ),
      ),
    ),
    roots: mergeRoots(levels),
    network: mergeNetwork(levels),
    sandbox: mergeSandbox(levels),
    afterForeign: all.flatMap((tier, index) => {
      const said = compileAfterForeign(tier.document.after_foreign ?? {}, `${prefix(tier)}after_foreign`);
      return index === 0 ? [new Map([...defaultAfterForeign, ...said])] : said.size > 0 ? [said] : [];
    }),
    rates: all.flatMap((tier) =>
      Object.entries(tier.document.rates ?? {}).map(([handle, text]) => ({
        handle,
        key: `${rateOwner(tier)}:${handle}`,
        rate: readRate(text),
        rule: `${prefix(tier)}rates.${handle}`,
      })),
    ),
  };
}

/** Whose budget it is, told apart within one tenant. */
function rateOwner({ tier, tenant, agent }: PolicyTier): string {
  const owner = agent === undefined ? tier : `agent ${agent}`;
  return tenant === undefined ? owner : `own ${owner}`;
}

const autonomies: readonly (Autonomy | undefined)[] = ["read_only", "supervised", "full", undefined];
const rankOf = (document: PolicyDocument) => autonomies.indexOf(document.autonomy);
