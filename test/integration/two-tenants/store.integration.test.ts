import { type Principal, ToolwrightError } from "@toolwright/engine";
import { sha256 } from "@toolwright/engine/ports";
import * as postgres from "@toolwright/postgres";
import { productDatabaseKinds } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../../scripts/product-subjects.ts";
import { type Area, pathOf } from "./area.ts";
import { callAreas } from "./call-areas.ts";
import { catalogueAreas } from "./catalogue-areas.ts";
import { answerOf, otherId } from "./compare-answers.ts";
import { exemptions, leftOut } from "./exemptions.ts";
import { misfits } from "./hold-answer.ts";
import { hookAreas } from "./hook-areas.ts";
import { jobAreas } from "./job-areas.ts";
import { knowledgeAreas } from "./knowledge-areas.ts";
import { listFunctions } from "./list-functions.ts";
import { logAreas } from "./log-areas.ts";
import { memoryAreas } from "./memory-areas.ts";
import { ofEverybody } from "./of-everybody.ts";
import { colleague, openWorld, owner, permissionsOfMembers, principalOf, stranger, type World } from "./open-world.ts";
import { peopleAreas } from "./people-areas.ts";
import { policyAreas } from "./policy-areas.ts";
import { roomAreas } from "./room-areas.ts";
import { inputsWith, inputsWithNumber, sampleObject, textMembersOf } from "./sample-input.ts";
import { suspendedAreas } from "./suspended-areas.ts";
import { fills, type Learned, type Sweep, sweepOperations } from "./sweep-operations.ts";
import { turnAreas } from "./turn-areas.ts";

const areas: readonly Area[] = [
  ...callAreas,
  ...suspendedAreas,
  ...turnAreas,
  ...roomAreas,
  ...memoryAreas,
  ...knowledgeAreas,
  ...logAreas,
  ...jobAreas,
  ...hookAreas,
  ...catalogueAreas,
  ...peopleAreas,
  ...policyAreas,
];
const byId = areas.flatMap((area) => Object.entries(area.byId ?? {}).map(([name, ask]) => ({ name, ask, area })));
const lists = areas.flatMap((area) => Object.entries(area.lists ?? {}).map(([name, ask]) => ({ name, ask, area })));

const pathOfOperation = ({ name }: { readonly name: string }) => `operations.${name}`;
const operationPaths = operations.map(pathOfOperation);
const namesIn = ({ byId = {}, lists = {} }: Area) => Object.keys({ ...byId, ...lists });
/** Those that a member may use. */
const openOperations = operations.filter(({ permission }) => permission === undefined || permissionsOfMembers.includes(permission));
/** Those that the sweeps ask by each of their texts: a new one of them needs no case of its own. */
const swept = openOperations.filter(({ input }) => textMembersOf(input.json).length > 0).map(pathOfOperation);
/** Operations, and what doors ask of a scope: the functions of the store know tenants, and no persons. */
const isOfPersons = ({ name }: { readonly name: string }) =>
  /^(operations|scope)\./.test(name) && !Object.hasOwn(ofEverybody, name) && !Object.hasOwn(ofEverybody, pathOf(name));

const isRefused = (name: string) => operations.some((each) => pathOfOperation(each) === pathOf(name) && !openOperations.includes(each));

describe.each(productDatabaseKinds)("what belongs to another tenant or person is like what there is not, %s (R-TN-3, R-SE-1)", (kind) => {
  let world: World;
  let made = 0;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(async () => {
    await world.close();
    expect([...misfits], "Answers that are not what the document says of their operations").toEqual([]);
  });

  /** Of letters alone, so that anything may have it as its name, and like no other name. */
  const newName = () =>
    sha256(String(made++))
      .slice(0, 16)
      .replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");
  /** An id that nobody has: its prefix, and letters in place of the rest. */
  const inForm = (id: string, letters: string) => id.slice(0, -letters.length) + letters;
  const look = (area: Area, id: string) => answerOf(() => area.look(world, owner, id), "");

  it("is shown of every function of the store and every operation, or there is a reason why it need not be", () => {
    const { store, secrets, identity, accounts, signIn, scopeOf } = world;
    const roots = { store, secrets, identity, accounts, signIn, scope: scopeOf(stranger), "": postgres };
    const leaveOut = new Set(Object.keys(leftOut));
    const functions = Object.entries(roots).flatMap(([name, root]) => listFunctions(root, name, { leaveOut }));
    const there = [...functions, ...operationPaths];
    const shown = new Set([...byId, ...lists].map(({ name }) => pathOf(name)));
    const missing = there.filter((path) => !shown.has(path) && !Object.hasOwn(exemptions, path) && !swept.includes(path));
    expect(missing, "Add a case to the areas beside this test, or a line with the reason to exemptions.ts.").toEqual([]);
    const gone = [...shown, ...Object.keys(exemptions)].filter((path) => !there.includes(path));
    expect(gone, "These are no functions any more: take their cases and exemptions away.").toEqual([]);
    expect([...shown].filter((path) => Object.hasOwn(exemptions, path))).toEqual([]);
  });

  /** Who must not be told: the colleague only of what is a person's. */
  const strangersTo = (each: { readonly name: string }) => (isOfPersons(each) ? [stranger, colleague] : [stranger]);

  it.each(byId)("$name", async (each) => {
    const { ask, area } = each;
    const name = newName();
    const given = await area.make(world, owner, name);
    const id = typeof given === "string" ? given : name;
    const before = await look(area, id);
    for (const who of strangersTo(each)) {
      const foreign = await answerOf(() => ask(world, who, id), id);
      const missing = await answerOf(() => ask(world, who, otherId(id)), otherId(id));
      expect(foreign, who).toBe(missing);
      expect(await look(area, id), who).toBe(before);
    }
    // Or else neither the answer nor the look could tell a leak.
    const own = await answerOf(() => ask(world, owner, id), id);
    const none = await answerOf(() => ask(world, owner, otherId(id, 2)), otherId(id, 2));
    expect(own !== none || (await look(area, id)) !== before).toBe(true);
  });

  it.each(lists)("$name, which is given no identifier", async (each) => {
    const { ask, area } = each;
    const tell = (who: string) => answerOf(() => ask(world, who), "");
    const strangers = strangersTo(each);
    for (const who of strangers) await tell(who); // What another case left of their own is dealt with before.
    const without = new Map<string, string>();
    for (const who of [...strangers, owner]) without.set(who, await tell(who));
    const name = newName();
    const given = await area.make(world, owner, name);
    const before = await look(area, typeof given === "string" ? given : name);
    for (const who of strangers) {
      expect(await tell(who), who).toBe(without.get(who));
      expect(await look(area, typeof given === "string" ? given : name), who).toBe(before);
    }
    const own = await tell(owner);
    expect(own !== without.get(owner) || (await look(area, name)) !== before).toBe(true);
  });

  it("is shown of every operation for another person of the tenant, or there is a reason why they have it in common", () => {
    const leaveOut = new Set(Object.keys(leftOut));
    const there = [...listFunctions(world.scopeOf(colleague), "scope", { leaveOut }), ...openOperations.map(pathOfOperation)];
    const shown = new Set([...byId, ...lists].filter(isOfPersons).map(({ name }) => pathOf(name)));
    const reasons = Object.keys(ofEverybody);
    const missing = there.filter((path) => !shown.has(path) && !reasons.map(pathOf).includes(path) && !swept.includes(path));
    expect(missing, "Add a case to the areas beside this test, or a line with the reason to of-everybody.ts.").toEqual([]);
    expect(reasons.filter((name) => !there.includes(pathOf(name)))).toEqual([]);
  });

  // What follows is asked on one kind of database: it stands above the stores.
  const once = it.runIf(kind === "server");

  once.each(operations.filter((each) => !openOperations.includes(each)))("$name refuses members before it looks", async (each) => {
    const input = sampleObject(each.input.json, { text: () => "x" });
    await expect(world.operateOf(colleague)(each.name, input as never)).rejects.toMatchObject({ code: "operation_not_allowed" });
  });

  /** One of everything that a person has, and what names the person; or one of everything that a tenant has. */
  async function learn(isOf: (name: string) => boolean = (name) => isOfPersons({ name }) && !isRefused(name)): Promise<readonly Learned[]> {
    const nameOf = (prefix: string) => ({
      kind: "the person",
      id: `${prefix}ann`,
      missing: () => prefix + newName(),
      look: async () => "",
    });
    const things = areas
      .filter((area) => namesIn(area).some(isOf))
      .map(async (area) => {
        const name = newName();
        const given = await area.make(world, owner, name);
        const id = typeof given === "string" ? given : name;
        return { kind: namesIn(area)[0]?.split(".")[1] ?? "", id, missing: () => inForm(id, newName()), look: () => look(area, id) };
      });
    return [nameOf(""), nameOf("user:"), ...(await Promise.all(things))];
  }

  const useAs =
    (principal: Principal): Sweep["use"] =>
    async ({ operation, input, session = `of ${principal.actor.id}`, isStream }) => {
      if (!isStream) {
        const id = await world.engine.openSession(principal, session);
        return world.engine.operateNamed(principal, operation, input, { session: id });
      }
      const items = await world.engine.follow(principal, operation, input, { signal: AbortSignal.abort() });
      return typeof items;
    };
  /** As a colleague who has nothing yet: what they are told of their own is no opening. */
  const useAsNewcomer = () => useAs({ ...principalOf(colleague), actor: { kind: "user", id: newName() } });

  once("no operation tells another person of what somebody has, or changes it, by any id or name", async () => {
    expect(await sweepOperations({ operations: openOperations, learned: await learn(), use: useAsNewcomer() })).toEqual({
      openings: [],
      unread: [],
    });
  });

  once("no operation tells another tenant of what one has, or changes it, by any id or name", async () => {
    const learned = await learn((name) => name.startsWith("operations."));
    const member: Principal = { ...principalOf(colleague), tenant: stranger, actor: { kind: "user", id: newName() } };
    expect(await sweepOperations({ operations: openOperations, learned, use: useAs(member) })).toEqual({ openings: [], unread: [] });
  });

  once.each([
    ["tells", "jobs.get", "jobs.get tells by id of jobs"],
    ["changes", "memories.remove", "memories.remove changes memories"],
  ])("the sweep finds a planted opening that %s", async (_, planted, opening) => {
    const newcomer = useAsNewcomer();
    const use: Sweep["use"] = (each) => (each.operation === planted ? useAs(principalOf(owner)) : newcomer)(each);
    const some = openOperations.filter(({ name }) => name === planted || name === "turns.get");
    const { openings } = await sweepOperations({ operations: some, learned: await learn(), use });
    expect(openings).toContain(opening);
    expect(openings.filter((each) => !each.startsWith(planted))).toEqual([]);
  });

  /** Beyond what 32 and 53 bits hold, what a date is, and what a column of the store takes. */
  const oddNumbers = [2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 8.64e15 + 2, 1e21, 1e308, -1e308, 0.5];
  once.each(operations.filter(({ input }) => [...inputsWithNumber(input.json, 1)].length > 0))(
    "$name takes a number of any size, or rejects it as its caller's",
    async (each) => {
      const found: string[] = [];
      for (const value of oddNumbers)
        for (const input of inputsWithNumber(each.input.json, value)) {
          const filled = { ...fills[each.name]?.(), ...input, ...(each.name in fills && { tool: "pay", input: { euros: 5 } }) };
          const answer = await world
            .operateOf(owner)(each.name, filled as never)
            .catch((error: unknown) => error);
          if (answer instanceof Error && !(ToolwrightError.is(answer) && !/^(internal|record_failed|store_)/.test(answer.code)))
            found.push(`${JSON.stringify(input)}: ${String(answer)} ${String((answer as { cause?: unknown }).cause ?? "").slice(0, 200)}`);
        }
      expect(found).toEqual([]);
    },
  );

  once.each(operations.filter(({ input }) => textMembersOf(input.json).length > 0))(
    "$name rejects text that no store can hold",
    async (each) => {
      const refused = { code: expect.stringMatching(/^(invalid_input|operation_not_allowed|operation_unavailable)$/) };
      for (const text of ["\0", "a\0b", "\ud800"])
        for (const input of inputsWith(each.input.json, text))
          await expect(world.operateOf(stranger)(each.name, input as never), JSON.stringify(input)).rejects.toMatchObject(refused);
    },
  );
});
