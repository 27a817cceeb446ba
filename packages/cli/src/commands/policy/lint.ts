import { type PolicyTier, ToolwrightError } from "@toolwright/engine";
import { formatPath, type LintFinding, lintPolicy, sectionsOf, tiersOfTenant } from "@toolwright/engine/policy";
import type { Store } from "@toolwright/postgres";
import type { LoadedPolicy } from "@toolwright/server";
import type { PolicyPosition } from "@toolwright/server/policy-file";
import { describePosition, factsOf, loadDefinitions, readTenantPolicy } from "@toolwright/server/policy-file";
import { count } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { checkingPolicy, readNamedPolicy } from "../../input/read-policy-file.ts";
import type { Io } from "../../io.ts";
import { operateRemotely, type RemoteOptions } from "../context/operate-remotely.ts";
import { type TenantOptions, withStore } from "../context/with-store.ts";

type LintOptions = TenantOptions & RemoteOptions;

interface PlacedFinding extends Partial<PolicyPosition> {
  readonly level: LintFinding["level"];
  readonly rule: string;
  readonly message: string;
  /** Revision of the tenant's own policy, which stands in place of a file. */
  readonly revision?: number;
}

/** What the store knows of what is linted. */
interface Rows {
  readonly agents: ReadonlySet<string>;
  readonly own: readonly PolicyTier[];
  readonly revision: number;
}

/** Names what a valid policy says in vain. Warnings fail, hints do not. */
export function lint(io: Io, options: LintOptions, [file]: readonly string[]): Promise<number> {
  return checkingPolicy(io, options, async () => {
    if (options.server !== undefined) return lintThere(io, options, file);
    const { policy, settings } = await readNamedPolicy(io, options, file);
    const tools = [...(await loadDefinitions(settings, io)).values()].map(factsOf);
    const rows = await readRows(io, options, policy);
    const found = lintPolicy([...policy.tiers, ...(rows?.own ?? [])], tools, rows?.agents);
    const findings = found.map((finding) => place(finding, policy, rows));
    return tell(io, options, { findings, describe });
  });
}

/** A file as the policy of the key's tenant. */
async function lintThere(io: Io, options: LintOptions, file: string | undefined): Promise<number> {
  if (file === undefined) throw new CliError("With --server, name the file: toolwright policy lint acme.yaml --server URL");
  const document = await readTenantPolicy(file, io);
  const { items } = await operateRemotely(io, options)("policy.lint", { document });
  const findings = items.map((finding) => ({ level: finding.level, file, rule: ruleOf(finding), message: finding.message }));
  return tell(io, options, { findings, describe: ({ level, rule, message }) => `${file}: ${level}: ${rule}: ${message}` });
}

/** In a tenant's own document, whose agents follow it. */
const ruleOf = ({ document, path }: LintFinding) => formatPath([...(document === 0 ? [] : ["agents", document - 1]), ...path]);

interface Found {
  readonly findings: readonly PlacedFinding[];
  readonly describe: (finding: PlacedFinding) => string;
}

function tell(io: Io, { json }: LintOptions, { findings, describe: toLine }: Found): number {
  const warnings = findings.filter(({ level }) => level === "warning").length;
  const sum = `${count(warnings, "warning")}, ${count(findings.length - warnings, "hint")}.`;
  io.out(json ? `${JSON.stringify({ warnings, findings }, null, 2)}\n` : `${[...findings.map(toLine), sum].join("\n")}\n`);
  return warnings === 0 ? exitCodes.done : exitCodes.failed;
}

/** Undefined where nothing is asked of the store, or where it cannot be asked: then agents are not looked at, and that is told. */
async function readRows(io: Io, options: TenantOptions, { tiers }: LoadedPolicy): Promise<Rows | undefined> {
  const { tenant } = options;
  if (tenant === undefined && tiers.every(({ agent }) => agent === undefined)) return undefined;
  const found: Rows[] = [];
  try {
    await withStore(io, options, async (store) => found.push(await readStore(store, tenant)));
  } catch (error) {
    if (tenant !== undefined || !ToolwrightError.is(error)) throw error;
    io.err(`Agents are not compared with the store, which cannot be opened: ${error.message}\n`);
  }
  return found[0];
}

async function readStore({ catalogue, policies, tenants: ofStore }: Store, tenant: string | undefined): Promise<Rows> {
  const tenants = tenant === undefined ? (await ofStore.list()).map((each) => each.tenant) : [tenant];
  const agents = (await Promise.all(tenants.map((each) => catalogue.agents.list(each)))).flat();
  const version = tenant === undefined ? undefined : policies.current(tenant);
  return {
    agents: new Set(agents.map(({ agent }) => agent)),
    own: version ? tiersOfTenant(version) : [],
    revision: version?.revision ?? 0,
  };
}

function place(
  { level, document, path, message }: LintFinding,
  { file, tiers, positionOf }: LoadedPolicy,
  rows: Rows | undefined,
): PlacedFinding {
  const own = rows?.own[document - tiers.length];
  if (rows && own) {
    const at = own.agent === undefined ? [] : ["agents", document - tiers.length - 1];
    return { level, revision: rows.revision, rule: formatPath([...at, ...path]), message };
  }
  const whole = [...(sectionsOf(file)[document]?.path ?? []), ...path];
  return { level, ...positionOf(whole), rule: formatPath(whole), message };
}

function describe({ level, file, line, column, revision, rule, message }: PlacedFinding): string {
  const known = file !== undefined && line !== undefined && column !== undefined ? describePosition({ file, line, column }) : "built in";
  return `${revision === undefined ? known : `revision ${revision}`}: ${level}: ${rule}: ${message}`;
}
