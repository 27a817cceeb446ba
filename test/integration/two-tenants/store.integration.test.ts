import { operations } from "@toolwright/engine/operations";
import { sha256 } from "@toolwright/engine/ports";
import * as postgres from "@toolwright/postgres";
import { productDatabaseKinds } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Area, pathOf } from "./area.ts";
import { callAreas } from "./call-areas.ts";
import { catalogueAreas } from "./catalogue-areas.ts";
import { answerOf, otherId } from "./compare-answers.ts";
import { exemptions, leftOut } from "./exemptions.ts";
import { hookAreas } from "./hook-areas.ts";
import { jobAreas } from "./job-areas.ts";
import { knowledgeAreas } from "./knowledge-areas.ts";
import { listFunctions } from "./list-functions.ts";
import { logAreas } from "./log-areas.ts";
import { memoryAreas } from "./memory-areas.ts";
import { ofEverybody } from "./of-everybody.ts";
import { colleague, openWorld, owner, permissionsOfMembers, stranger, type World } from "./open-world.ts";
import { peopleAreas } from "./people-areas.ts";
import { policyAreas } from "./policy-areas.ts";
import { roomAreas } from "./room-areas.ts";
import { inputsWith, sampleObject, textMembersOf } from "./sample-input.ts";
import { suspendedAreas } from "./suspended-areas.ts";
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
/** Those that a member may use. */
const openOperations = operations.filter(({ permission }) => permission === undefined || permissionsOfMembers.includes(permission));
/** Operations, and what doors ask of a scope: the functions of the store know tenants, and no persons. */
const isOfPersons = ({ name }: { readonly name: string }) =>
  /^(operations|scope)\./.test(name) && !Object.hasOwn(ofEverybody, name) && !Object.hasOwn(ofEverybody, pathOf(name));

describe.each(productDatabaseKinds)("what belongs to another tenant is like what there is not, %s (R-TN-3)", (kind) => {
  let world: World;
  let made = 0;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  /** Of letters alone, so that anything may have it as its name, and like no other name. */
  const newName = () =>
    sha256(String(made++))
      .slice(0, 16)
      .replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");
  const look = (area: Area, id: string) => answerOf(() => area.look(world, owner, id), "");

  it("is shown of every function of the store and every operation, or there is a reason why it need not be", () => {
    const { store, secrets, identity, accounts, signIn, scopeOf } = world;
    const roots = { store, secrets, identity, accounts, signIn, scope: scopeOf(stranger), "": postgres };
    const leaveOut = new Set(Object.keys(leftOut));
    const functions = Object.entries(roots).flatMap(([name, root]) => listFunctions(root, name, { leaveOut }));
    const there = [...functions, ...operationPaths];
    const shown = new Set([...byId, ...lists].map(({ name }) => pathOf(name)));
    const missing = there.filter((path) => !shown.has(path) && !Object.hasOwn(exemptions, path));
    expect(missing, "Add a case to the areas beside this test, or a line with the reason to exemptions.ts.").toEqual([]);
    const gone = [...shown, ...Object.keys(exemptions)].filter((path) => !there.includes(path));
    expect(gone, "These are no functions any more: take their cases and exemptions away.").toEqual([]);
    expect([...shown].filter((path) => Object.hasOwn(exemptions, path))).toEqual([]);
  });

  async function expectAsMissing({ ask, area }: (typeof byId)[number], who: string) {
    const name = newName();
    const given = await area.make(world, owner, name);
    const id = typeof given === "string" ? given : name;
    const before = await look(area, id);
    const foreign = await answerOf(() => ask(world, who, id), id);
    const missing = await answerOf(() => ask(world, who, otherId(id)), otherId(id));
    expect(foreign).toBe(missing);
    expect(await look(area, id)).toBe(before);
    // Or else neither the answer nor the look could tell a leak.
    const own = await answerOf(() => ask(world, owner, id), id);
    const none = await answerOf(() => ask(world, owner, otherId(id, 2)), otherId(id, 2));
    expect(own !== none || (await look(area, id)) !== before).toBe(true);
  }

  async function expectUnchanged({ ask, area }: (typeof lists)[number], who: string) {
    const tell = (each: string) => answerOf(() => ask(world, each), "");
    await tell(who); // What another case left of their own is dealt with before.
    const [without, ownWithout] = [await tell(who), await tell(owner)];
    const name = newName();
    const given = await area.make(world, owner, name);
    const before = await look(area, typeof given === "string" ? given : name);
    expect(await tell(who)).toBe(without);
    expect(await look(area, typeof given === "string" ? given : name)).toBe(before);
    const own = await tell(owner);
    expect(own !== ownWithout || (await look(area, name)) !== before).toBe(true);
  }

  it.each(byId)("$name", (each) => expectAsMissing(each, stranger));
  it.each(lists)("$name, which is given no identifier", (each) => expectUnchanged(each, stranger));

  it.each(byId.filter(isOfPersons))("$name, of a colleague's (R-SE-1)", (each) => expectAsMissing(each, colleague));
  it.each(lists.filter(isOfPersons))("$name, of a colleague's, which is given no identifier (R-SE-1)", (each) =>
    expectUnchanged(each, colleague),
  );

  it("is shown of every operation for another person of the tenant, or there is a reason why they have it in common (R-SE-1)", () => {
    const leaveOut = new Set(Object.keys(leftOut));
    const there = [...listFunctions(world.scopeOf(colleague), "scope", { leaveOut }), ...openOperations.map(pathOfOperation)];
    const shown = new Set([...byId, ...lists].filter(isOfPersons).map(({ name }) => pathOf(name)));
    const reasons = Object.keys(ofEverybody);
    const missing = there.filter((path) => !shown.has(path) && !reasons.map(pathOf).includes(path));
    expect(missing, "Add a case to the areas beside this test, or a line with the reason to of-everybody.ts.").toEqual([]);
    expect(reasons.filter((name) => !there.includes(pathOf(name)))).toEqual([]);
  });

  it.each(operations.filter((each) => !openOperations.includes(each)))("$name refuses members before it looks (R-SE-1)", async (each) => {
    const input = sampleObject(each.input.json, { text: () => "x" });
    await expect(world.operateOf(colleague)(each.name, input as never)).rejects.toMatchObject({ code: "operation_not_allowed" });
  });

  it.each(operations.filter(({ input }) => textMembersOf(input.json).length > 0))(
    "$name rejects text that no store can hold",
    async (each) => {
      const refused = { code: expect.stringMatching(/^(invalid_input|operation_not_allowed|operation_unavailable)$/) };
      for (const text of ["\0", "a\0b", "\ud800"])
        for (const input of inputsWith(each.input.json, text))
          await expect(world.operateOf(stranger)(each.name, input as never), JSON.stringify(input)).rejects.toMatchObject(refused);
    },
  );
});
