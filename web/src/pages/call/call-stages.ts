import type { Answer, Item } from "../../api/queries.ts";
import { wordsOfDuration } from "../../parts/when.tsx";

export type StoredEvent = Pick<Item<"events.list">, "event" | "sequence">;
export type Approval = Pick<Answer<"approvals.get">, "answer" | "approvals">;

/** The stages of the gate, in order. */
export const stageNames = ["Found", "Admitted", "Parsed", "Decided", "Approved", "Limited", "Ran", "Projected", "Recorded"] as const;
export type StageName = (typeof stageNames)[number];

/** One stage of a call. The log times those that have an event; what it does not hold is left out. */
export interface Stage {
  readonly name: StageName;
  readonly words?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at?: number | undefined;
  /** Sentences for whoever opens it. */
  readonly lines: readonly string[];
  readonly hasNews: boolean;
}

interface Person {
  readonly id?: string;
}

/** What events of calls hold, as far as a story needs it. */
interface Told {
  readonly effect?: string;
  readonly rule?: string;
  readonly reason?: string;
  readonly layer?: string;
  readonly revision?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly approval?: string;
  readonly grants?: readonly string[];
  readonly by?: Person | readonly Person[];
  readonly edited?: boolean;
  readonly repairs?: readonly { readonly path: string; readonly what: string }[];
  readonly posture?: { readonly runtime: string; readonly isolation: string; readonly network: string; readonly gaps?: readonly string[] };
  readonly anomalies?: readonly { readonly kind: string; readonly message: string }[];
  readonly truncations?: number;
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly foreign?: { readonly callId: string; readonly place?: string; readonly tool: string };
}

export const toldBy = ({ event }: StoredEvent) => event.data as Told;

/** Stages that end a call with these codes; any other ends it while it runs. */
const stageOfCode: Readonly<Record<string, StageName>> = {
  tool_not_found: "Found",
  invalid_input: "Parsed",
  input_too_large: "Parsed",
  approval_expired: "Approved",
  approval_void: "Approved",
  approval_used: "Approved",
  rate_limited: "Limited",
  output_not_json: "Projected",
  invalid_output: "Projected",
  record_failed: "Recorded",
};

const effects: Readonly<Record<string, string>> = { allow: "runs", ask: "asks", deny: "blocked" };
const networks: Readonly<Record<string, string>> = { none: "no network", filtered: "filtered network", host: "network of the host" };
const answerRules: ReadonlySet<string> = new Set(["approval.deny", "approval.respond"]);

/** How a call passed the gate, from its events in order and, where somebody was asked, the approval. Stages that it did not reach are left out. */
export function stagesOf(events: readonly StoredEvent[], approval?: Approval): readonly Stage[] {
  const parts = partsOf(events);
  const reached = stageNames.indexOf(endOf(parts));
  const stages: readonly Stage[] = [
    quiet("Found"),
    quiet("Admitted"),
    parsed(parts),
    decided(parts),
    approved(parts, approval),
    quiet("Limited"),
    ran(parts),
    projected(parts),
  ];
  const passed = stages.slice(0, reached + 1).map((stage) => withFailure(stage, parts));
  return [...passed, withFailure(recorded(events, parts), parts)];
}

type Parts = ReturnType<typeof partsOf>;

function partsOf(events: readonly StoredEvent[]) {
  const find = (type: string) => events.find(({ event }) => event.type === type);
  const last = events.at(-1);
  const [asked, started] = [find("tool.needs_approval"), find("tool.started")];
  // Asked after its start, a call waits for one that it made.
  const isInside = asked !== undefined && started !== undefined && asked.sequence > started.sequence;
  const isEnd = last !== undefined && ["tool.completed", "tool.failed", "tool.cancelled", "tool.denied"].includes(last.event.type);
  return {
    asked: isInside ? undefined : asked,
    approved: find("tool.approved"),
    started,
    waits: last?.event.type === "tool.needs_approval",
    ending: isEnd ? last : undefined,
    told: events.map(toldBy),
  };
}

const quiet = (name: StageName): Stage => ({ name, lines: [], hasNews: false });

/** The last stage that the call came to, before it was recorded. */
function endOf({ asked, started, ending }: Parts): StageName {
  if (ending?.event.type === "tool.denied") return answerRules.has(toldBy(ending).rule ?? "") ? "Approved" : "Decided";
  const failed = failedAt(ending);
  if (failed !== undefined && (failed !== "Ran" || started)) return failed === "Recorded" ? "Limited" : failed;
  if (ending?.event.type === "tool.completed") return "Projected";
  if (started) return "Ran";
  return asked ? "Approved" : "Parsed";
}

function failedAt(ending: StoredEvent | undefined): StageName | undefined {
  if (ending?.event.type !== "tool.failed") return undefined;
  const code = toldBy(ending).error?.code ?? "";
  return Object.hasOwn(stageOfCode, code) ? stageOfCode[code] : "Ran";
}

/** The stage at which a call failed says why. */
function withFailure(stage: Stage, { ending }: Parts): Stage {
  const error = ending && failedAt(ending) === stage.name ? toldBy(ending).error : undefined;
  if (!error) return stage;
  const words = `failed${error.code ? `: ${error.code}` : ""}`;
  return {
    ...stage,
    words: stage.words ? `${stage.words} · ${words}` : words,
    at: stage.at ?? ending?.event.at,
    lines: [...stage.lines, ...(error.message ? [error.message] : [])],
    hasNews: true,
  };
}

function parsed({ told }: Parts): Stage {
  const repairs = told.map((data) => data.repairs).find((some) => some !== undefined) ?? [];
  return {
    name: "Parsed",
    words: repairs.length === 0 ? undefined : `${repairs.length} ${repairs.length === 1 ? "repair" : "repairs"}`,
    lines: repairs.map(({ path, what }) => `${path || "The input"}: ${what}`),
    hasNews: repairs.length > 0,
  };
}

function decided({ asked, started, ending }: Parts): Stage {
  const isRefused = ending?.event.type === "tool.denied" && !answerRules.has(toldBy(ending).rule ?? "");
  const deciding = asked ?? started ?? (isRefused ? ending : undefined);
  if (!deciding) return quiet("Decided");
  const { effect, rule, reason, layer, revision } = toldBy(deciding);
  const about = [layer && `Layer: ${layer}`, revision && `policy ${revision.slice(0, 12)}`].filter(Boolean).join(", ");
  return {
    name: "Decided",
    words: [effects[effect ?? ""] ?? effect, rule].filter(Boolean).join(" · "),
    at: deciding.event.at,
    lines: [...(reason ? [reason] : []), ...(about ? [`${about}.`] : [])],
    hasNews: effect !== "allow" || rule?.startsWith("grant:") === true,
  };
}

const idsOf = (by: Told["by"]) => [by ?? []].flat().map(({ id }) => id ?? "somebody");

function approved({ asked, approved: used, ending }: Parts, approval: Approval | undefined): Stage {
  const { grants, by, edited } = used ? toldBy(used) : {};
  if (used && grants)
    return {
      ...{ name: "Approved", words: `by a grant of ${idsOf(by).join(", ")}`, at: used.event.at, hasNews: true },
      lines: [`Nobody was asked: ${grants.join(", ")} covers it.`],
    };
  if (!asked) return { ...quiet("Approved"), words: "nobody was asked" };
  const answer = approval?.answer;
  const at = answer?.at ?? used?.event.at;
  const words = [
    answerWords(answer?.outcome.kind, used !== undefined, ending),
    ...(answer ? [answer.by.id] : idsOf(by)),
    ...(at === undefined ? [] : [`after ${wordsOfDuration(at - asked.event.at)}`]),
  ];
  const message = answer && "message" in answer.outcome ? answer.outcome.message : undefined;
  const others = (approval?.approvals ?? []).map((one) => `${one.by.id} said yes after ${wordsOfDuration(one.at - asked.event.at)}.`);
  const lines = [
    ...(edited ? ["The input was edited: it ran with what the person wrote."] : []),
    ...(message ? [`“${message}”`] : []),
    ...(others.length > 1 ? others : []),
  ];
  return { name: "Approved", words: words.join(" · "), at, lines, hasNews: true };
}

function answerWords(kind: string | undefined, isUsed: boolean, ending: StoredEvent | undefined): string {
  if (kind === "deny") return "denied";
  if (kind === "respond") return "answered instead";
  if (kind === "edit") return "approved with another input";
  if (kind === "approve" || isUsed) return "approved";
  return ending ? "not approved" : "waits for a person";
}

function ran({ started, ending, told, waits }: Parts): Stage {
  if (!started) return quiet("Ran");
  const end = ending && toldBy(ending);
  const posture = told.map((data) => data.posture).findLast((some) => some !== undefined);
  const words = [
    ending ? wordsOfDuration(ending.event.at - started.event.at) : waits ? "waits for a call inside" : "still runs",
    ...(posture ? [posture.runtime, networks[posture.network] ?? posture.network] : []),
    ...(ending?.event.type === "tool.cancelled" ? ["cancelled"] : []),
  ];
  const lines = [
    ...(posture ? [`Isolation: ${posture.isolation}.`, ...(posture.gaps ?? [])] : []),
    ...(end?.anomalies ?? []).map(({ message }) => message),
    ...(end?.usage ? [`Used ${JSON.stringify(end.usage)}.`] : []),
  ];
  return { name: "Ran", words: words.join(" · "), at: started.event.at, lines, hasNews: lines.length > 0 };
}

/** What the gate puts in the place of a secret. */
const mark = "[redacted]";

function projected({ ending }: Parts): Stage {
  const { output, truncations = 0 } = ending ? toldBy(ending) : {};
  const hidden = (JSON.stringify(output) ?? "").split(mark).length - 1;
  const words = [
    ...(hidden > 0 ? [`${hidden} ${hidden === 1 ? "secret" : "secrets"} hidden`] : []),
    ...(truncations > 0 ? [`output cut in ${truncations} ${truncations === 1 ? "place" : "places"}`] : []),
  ];
  return { name: "Projected", words: words.join(" · ") || undefined, lines: [], hasNews: words.length > 0 };
}

function recorded(events: readonly StoredEvent[], { ending }: Parts): Stage {
  const [first, last] = [events[0], events.at(-1)];
  const range = first?.sequence === last?.sequence ? `#${first?.sequence}` : `#${first?.sequence} to #${last?.sequence}`;
  return { name: "Recorded", words: `${range} of ${last?.event.session}`, at: ending?.event.at, lines: [], hasNews: false };
}
