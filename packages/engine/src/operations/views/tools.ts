import { minuteOf } from "../../contract/minute-of.ts";
import type { SchemaVersion } from "../../ports/catalogue-store.ts";
import type { TenantTool, ToolOverride } from "../../ports/tenant-tools.ts";
import type { Rendering } from "../shell.ts";

interface SurveyedTool {
  readonly tool: { readonly name: string; readonly group: string; readonly origin: { readonly kind: string } };
  readonly visible: boolean;
  readonly state: string;
  readonly check?: string | undefined;
  readonly reason: string;
  readonly enabledBy: readonly string[];
  readonly missingSecrets: readonly string[];
  readonly change?: { readonly text: string } | undefined;
}

interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  readonly effects: Readonly<Record<string, unknown>>;
  readonly hints: unknown;
  readonly examples: unknown;
  readonly origin: unknown;
}

interface ListedTools {
  readonly items: readonly ListedTool[];
  readonly ranking?: { readonly reason?: string | undefined } | undefined;
}

export const listedToolsView: Rendering<ListedTools> = {
  show: ({ items, ranking }) => [
    ...(ranking?.reason === undefined ? [] : [{ note: `Found by words alone. ${ranking.reason}`, always: true as const }]),
    { head: ["name", "group", "effects", "description"], rows: items.map(toListedRow) },
  ],
  json: ({ items }) =>
    items.map(({ name, title, group, description, inputSchema, outputSchema, effects, hints, examples, origin }) => {
      return { name, title, group, description, inputSchema, outputSchema, effects, hints, examples, origin };
    }),
};

const toListedRow = ({ name, group, effects, description }: ListedTool) => [
  ...[name, group, describeEffects(effects), description.split(/(?<=\.)\s/)[0] ?? ""],
];

function describeEffects(effects: ListedTool["effects"]): string {
  const parts = Object.entries(effects).filter(([, level]) => level !== undefined && level !== false);
  return parts.map(([name, level]) => (typeof level === "string" ? `${name}:${level}` : name)).join(" ") || "none";
}

export const surveyView: Rendering<{ readonly items: readonly SurveyedTool[] }> = {
  show: ({ items }) => [{ head: ["name", "group", "state", "enabled by", "why"], rows: items.map(toSurveyRow) }],
  json: ({ items }) => items.map(toJson),
};

const toSurveyRow = ({ tool: { name, group }, state, enabledBy, reason }: SurveyedTool) => [
  ...[name, group, state, enabledBy.join(", ") || "-", reason],
];

export const enabledView: Rendering<{ readonly items?: readonly SurveyedTool[] | undefined }> = {
  show: ({ items = [] }) => items.map(({ tool, state, reason }) => `${tool.name}: ${state}. ${reason}`),
  json: ({ items = [] }) => items.map(toJson),
};

function toJson({ tool: { name, group, origin }, visible, state, enabledBy, check, reason, missingSecrets, change }: SurveyedTool) {
  return { name, group, origin: origin.kind, visible, state, enabledBy, check, reason, missingSecrets, change };
}

interface InspectedTool {
  readonly tool: {
    readonly name: string;
    readonly title: string;
    readonly group: string;
    readonly description: string;
    readonly inputSchema: unknown;
    readonly outputSchema: unknown;
    readonly effects: unknown;
    readonly hints: unknown;
    readonly origin: { readonly source: string };
    readonly hash: string;
  };
  readonly state: string;
  readonly override?: ToolOverride | undefined;
  readonly own?: TenantTool | undefined;
}

/** As JSON one of the tenant's own is what `tools add` reads. */
export const inspectedToolView: Rendering<InspectedTool> = {
  show: ({ tool: { name, title, group, description, origin }, state, override }, { tenant }) => [
    ...[`${name}: ${title}`, `from ${origin.source}, group ${group}, ${state}`, description],
    ...(override ? [`Overridden in ${tenant}: ${describeOverride(override)}`] : []),
  ],
  json({ tool: { name, title, group, description, inputSchema, outputSchema, effects, hints, origin, hash }, state, override, own }) {
    if (!own) return { name, title, group, description, inputSchema, outputSchema, effects, hints, origin, hash, state, override };
    return toFile(own);
  },
};

/** As the file has it. */
export const putToolView: Rendering<{ readonly tool: TenantTool; readonly version: number }> = {
  show: ({ tool: { tool }, version }, { tenant }) => [
    `${tenant} has the tool ${tool}, with version ${version} of its schemas.`,
    {
      note: "Nothing here runs tools of tenants: it is listed, enabled, narrowed and checked like any other, and a call fails with not_executable.",
      always: true,
    },
  ],
  json: ({ tool, version }) => ({ ...toFile(tool), version }),
};

const toFile = ({ tool, ...more }: TenantTool) => ({ name: tool, ...more });

export const overrideView: Rendering<ToolOverride> = { show: (override) => [describeOverride(override)] };

export const removedOverrideView: Rendering<{ readonly removed: string }> = {
  show: ({ removed }, { tenant }) => [`${removed} is as its definition says${tenant === defaultTenant ? "" : ", and the tenant default"}.`],
  json: ({ removed }) => ({ tool: removed }),
};

const defaultTenant = "default";

function describeOverride({ tool, title, description, approval, visibility = {}, limits = {} }: ToolOverride): string {
  const said = Object.entries({ title, description, approval, ...visibility, ...limits }).filter(([, value]) => value !== undefined);
  return `${tool}: ${said.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ") || "nothing is overridden"}.`;
}

export const toolVersionsView: Rendering<{ readonly items: readonly SchemaVersion[] }> = {
  show: ({ items }) => [{ head: ["version", "made", "input", "output", "by"], rows: items.map(toRow) }],
};

const toRow = ({ version, createdAt, inputHash, outputHash, createdBy }: SchemaVersion) => [
  String(version),
  minuteOf(createdAt),
  shortHash(inputHash),
  shortHash(outputHash),
  createdBy,
];

const shortHash = (hash: string) => hash.replace(/^sha256[:-]/, "").slice(0, 12);
