import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type AnyTool,
  createEngine,
  type Engine,
  type EngineOptions,
  type Json,
  type JsonObject,
  type PolicyOption,
  type SessionEvent,
} from "@toolwright/engine";
import { tiersOf } from "@toolwright/engine/policy";
import { createMemorySecretStore, silentLogger } from "@toolwright/engine/ports";
import { type Draw, drawValue } from "@toolwright/engine/testing";
import { compareAnswers, compareEvents, compareLists, type Difference } from "./compare-doors.ts";
import type { DoorAdapter, DoorAnswer, DoorClient, OfferedTool } from "./door-adapter.ts";
import { inProcessDoor } from "./in-process-door.ts";
import { mcpDoors } from "./mcp-doors.ts";
import { restDoors } from "./rest-doors.ts";
import {
  approverOf,
  type CaseInput,
  contextOf,
  hidingFacts,
  principalOf,
  probes,
  runningSubjects,
  type Subject,
  secretName,
  secretValue,
  subjects,
  tiersFor,
} from "./subjects.ts";

export interface DoorConformanceOptions {
  readonly tools: readonly AnyTool[];
  /** Under which the subject `allowed` calls; the others have less. Default `"full"`. */
  readonly policy?: PolicyOption;
  /** Doors beside those of this package; the console's form joins by adding one. */
  readonly doors?: readonly DoorAdapter[];
  /** What an engine needs beside tools and policy, made anew for each door: capabilities with a workspace of their own. */
  readonly engine?: () => Promise<Pick<EngineOptions, "capabilities" | "environment" | "machine">>;
  /** True: examples of tools that change things run, too, once at each door. Default false. */
  readonly changes?: boolean;
  /** Seed of the inputs that are drawn from the schemas; the report names it. Default 1. */
  readonly seed?: number;
}

/** How one tool answers one subject at one door. */
export interface Cell {
  readonly tool: string;
  readonly subject: Subject;
  readonly door: string;
  /** Inputs that were compared. */
  readonly cases: number;
  readonly differences: readonly (Difference & { readonly input: string })[];
}

export interface DoorReport {
  readonly seed: number;
  readonly doors: readonly { readonly name: string; readonly leavesOut: DoorAdapter["leavesOut"] }[];
  readonly cells: readonly Cell[];
  /** Lists that are not what the scope lists. */
  readonly lists: readonly (Difference & { readonly door: string; readonly subject: Subject })[];
}

/** One door with everything that its calls left behind. */
interface Opened {
  readonly adapter: DoorAdapter;
  readonly engine: Engine;
  readonly client: DoorClient;
  readonly tenant: string;
  /** Events since the last time that somebody asked. */
  takeEvents(): Promise<readonly SessionEvent[]>;
}

/**
 * Calls every tool as every subject through every door, and compares what the client was told and what the log holds with the scope itself. Each door
 * has an engine of its own, made from the same options.
 */
export async function doorConformance(options: DoorConformanceOptions): Promise<DoorReport> {
  const references = [inProcessDoor("resume"), inProcessDoor("repeat")];
  const adapters = [...references, ...mcpDoors, ...restDoors, ...(options.doors ?? [])];
  const tools = [...options.tools, ...probes];
  const { seed = 1 } = options;
  const cells: Cell[] = [];
  const lists: DoorReport["lists"][number][] = [];
  for (const subject of subjects) {
    const opened = await Promise.all(adapters.map((adapter) => open(adapter, subject, { ...options, tools })));
    const [resumed, repeated, ...doors] = opened as [Opened, Opened, ...Opened[]];
    const expected = await resumed.client.list();
    for (const door of doors) lists.push(...(await differencesOfList(door, expected)).map((each) => ({ ...each, subject })));
    for (const tool of tools) {
      const compared = await compareTool(
        tool,
        { resumed, repeated, doors },
        { subject, seed, runs: options.changes || !changes(tool, resumed.engine) },
      );
      cells.push(...compared);
    }
    for (const { client, engine } of opened) {
      await client.close();
      await engine.close();
    }
  }
  return { seed, doors: adapters.slice(references.length).map(({ name, leavesOut }) => ({ name, leavesOut })), cells, lists };
}

async function open(adapter: DoorAdapter, subject: Subject, options: DoorConformanceOptions): Promise<Opened> {
  const { tools, policy = "full" } = options;
  const secrets = createMemorySecretStore();
  const principal = principalOf(subject, [...new Set(tools.flatMap(({ permission }) => permission ?? []))]);
  const { tenant } = principal;
  await secrets.set({ tenant, name: secretName }, secretValue);
  const events: SessionEvent[] = [];
  const engine = createEngine({
    ...(await options.engine?.()),
    tools,
    secrets,
    policy: tiersFor(
      tiersOf(policy),
      tools.map(({ name }) => name),
    ),
    visibility: hidingFacts,
    logger: silentLogger,
    onEvent: (event) => events.push(event),
  });
  const client = await adapter.open({ engine, principal, session: "conformance" });
  return {
    adapter,
    engine,
    client,
    tenant,
    async takeEvents() {
      await nextTurn();
      return events.splice(0);
    },
  };
}

async function differencesOfList({ adapter, client }: Opened, expected: readonly OfferedTool[]) {
  return compareLists(expected, await client.list(), adapter).map((difference) => ({ ...difference, door: adapter.name }));
}

const changes = ({ name }: AnyTool, engine: Engine) => engine.snapshot().find(name)?.facts.weight.changes === true;

interface Wanted {
  readonly examples: boolean;
  readonly runs: boolean;
  readonly drawn: readonly CaseInput[];
}

const drawnInputs = 3;

function drawInputs(schema: JsonObject, seed: number): readonly CaseInput[] {
  const draw = drawBySeed(seed);
  return Array.from({ length: drawnInputs }, (_, index) => index + 1).flatMap((number) => {
    const input = drawValue(schema, draw);
    return input === undefined ? [] : [{ label: `input ${number} of seed ${seed}`, input }];
  });
}

/** A linear congruential generator (Numerical Recipes): the same seed draws the same inputs everywhere. */
function drawBySeed(seed: number): Draw {
  let state = seed >>> 0;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * (most + 1));
  };
}

/** What every tool is called with: its examples, and what no tool should take. */
function inputsFor(tool: AnyTool, { examples: wanted, runs, drawn }: Wanted): readonly CaseInput[] {
  const examples = (tool.examples ?? []).map(({ label, input }) => ({
    label: `example "${label}"`,
    input: input as Json,
    // What a command says depends on the machine and the moment.
    isApproved: runs && tool.effects?.exec === undefined,
  }));
  const odd: readonly CaseInput[] = [
    { label: "nothing", input: {} },
    { label: "an unknown member", input: { "no such member": 1 } },
    { label: "a member of the wrong type", input: Object.fromEntries(Object.keys(examples[0]?.input ?? {}).map((name) => [name, [[]]])) },
    ...(tool.name === "conformance_add" ? [{ label: "numbers as texts", input: { a: "2", b: 3 } }] : []),
  ];
  return (wanted ? [...examples, ...odd, ...drawn] : odd.slice(1)).map((given) => ({
    ...given,
    input: withoutInternal(tool, given.input),
  }));
}

/** What a form may send, too: a member that the tool keeps from forms is refused there, by its own word. */
function withoutInternal({ presentation }: AnyTool, input: CaseInput["input"]): CaseInput["input"] {
  const { internal = [] } = presentation?.form ?? {};
  if (internal.length === 0 || typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !internal.includes(name)));
}

interface Side {
  /** What a door is held against that goes on by approvals, and one whose clients call again. */
  readonly resumed: Opened;
  readonly repeated: Opened;
  readonly doors: readonly Opened[];
}

async function compareTool(
  tool: AnyTool,
  { resumed, repeated, doors }: Side,
  { subject, runs, seed }: { readonly subject: Subject; readonly runs: boolean; readonly seed: number },
): Promise<readonly Cell[]> {
  const found = new Map(doors.map((door) => [door, [] as Cell["differences"][number][]]));
  const schema = resumed.engine.snapshot().find(tool.name)?.input(contextOf(subject)).json;
  const drawn = schema ? drawInputs(schema, seed) : [];
  const inputs = inputsFor(tool, { examples: runs || !runningSubjects.has(subject), runs, drawn });
  for (const given of inputs) {
    const [byApproval, again] = [await goThrough(resumed, tool.name, given), await goThrough(repeated, tool.name, given)];
    for (const door of doors) {
      const gone = await goThrough(door, tool.name, given);
      const differences = compareGone(door.client.resume ? byApproval : again, gone, door.adapter);
      found.get(door)?.push(...differences.map((difference) => ({ ...difference, input: given.label })));
    }
  }
  return doors.map((door) => ({
    tool: tool.name,
    subject,
    door: door.adapter.name,
    cases: inputs.length,
    differences: found.get(door) ?? [],
  }));
}

interface Gone {
  readonly answers: readonly DoorAnswer[];
  readonly events: readonly SessionEvent[];
  readonly leaked: boolean;
}

/** One call; where it asks, the answer of a person, and the call once more. */
async function goThrough({ client, engine, tenant, takeEvents }: Opened, name: string, { input, isApproved }: CaseInput): Promise<Gone> {
  const first = await tellCall(() => client.call(name, input));
  const answers = [first];
  const id = first.approval?.id;
  if (first.status === "pending" && id !== undefined) {
    await engine.scope(approverOf(tenant)).answer(id, isApproved ? { kind: "approve" } : { kind: "deny", message: "Not now." });
    const { resume } = client;
    answers.push(await tellCall(() => (resume ? resume(id) : client.call(name, input))));
  }
  return { answers, events: await takeEvents(), leaked: client.heard().includes(secretValue) };
}

/** A door that breaks is a difference, and no end of the run. */
async function tellCall(call: () => Promise<DoorAnswer>): Promise<DoorAnswer> {
  try {
    return await call();
  } catch (error) {
    return { status: "failed", error: { code: "door_broke", message: error instanceof Error ? error.message : String(error) } };
  }
}

function compareGone(expected: Gone, gone: Gone, adapter: DoorAdapter): readonly Difference[] {
  const answers = expected.answers.flatMap((answer, index) => {
    const found = gone.answers[index];
    if (!found) return [{ part: "answers", expected: expected.answers.length, found: gone.answers.length }];
    return compareAnswers(answer, found, adapter);
  });
  const leak = gone.leaked ? [{ part: "secret", expected: "redacted", found: "on the wire" }] : [];
  return [...answers, ...compareEvents(expected.events, gone.events), ...leak];
}
