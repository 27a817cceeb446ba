import assert from "node:assert/strict";
import type { CallResult } from "../contract/call.ts";
import type { Json } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";
import type { TurnUsageFilter } from "../ports/turn-usage.ts";
import type { KeptStep, NewTurn, TurnEnding, Turns } from "../ports/turns.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: ["agents:run"], door: "rest" };
const makeTurn = (id: string, more: Partial<NewTurn> = {}): NewTurn => ({
  ...{ id, tenant: "acme", conversation: "c1", agent: "assistant", principal, callId: `call_${id}`, createdAt: 1_000 },
  ...more,
});
const user = (text: string): Json => ({ role: "user", content: text });
const assistant = (text: string): Json => ({ role: "assistant", content: [{ type: "text", text }] });
const odd = user("a\u0000b");
const ref = { tenant: "acme", id: "t1" };
const lease = (holder: string, until = 5_000) => ({ holder, until });
const held = (holder: string) => ({ ...ref, holder });
const usage = { inputTokens: 3, outputTokens: 2 };
const next = { tokens: 0, cost: 0 };
const makeStep = (step: number, more: Partial<KeptStep> = {}): KeptStep => ({
  ...{ step, response: { content: [{ type: "text", text: `answer ${step}` }] }, settled: [], delivered: [], usage, at: 2_000 },
  ...more,
});
const makeEnding = (more: Partial<TurnEnding> = {}): TurnEnding => ({
  ...{ state: "done", text: "Done.", settled: [assistant("Done.")], usage, at: 3_000 },
  ...more,
});
const done: CallResult = {
  ...{
    callId: "call_1",
    tool: "pay",
    durationMs: 1,
    repairs: [],
    anomalies: [],
    artifacts: [],
    status: "done",
    output: { odd: "a\u0000b" },
  },
  ...{ content: [], truncations: [], decision: { effect: "allow", layer: "tool", rule: "r", reason: "r", revision: "1", findings: [] } },
};

interface OpenTurns {
  readonly turns: Turns;
  readonly reopen: () => Promise<Turns>;
  readonly cleanup: () => Promise<void>;
}

/** What every store of turns must do. `open` gives one on an empty place. */
export function turnsConformance(open: () => Promise<OpenTurns>): readonly ConformanceCase[] {
  const withTurns = casesOn(open);
  const said = async (turns: Turns, conversation = "c1", tenant = "acme") =>
    (await turns.messages({ tenant, conversation })).map(({ message }) => message);
  return [
    withTurns("keeps what the agent is while the turn is open, and lists it nowhere", async ({ turns, reopen }) => {
      const profile = { instructions: "a\u0000b" };
      const begun = await turns.begin({ ...makeTurn("t1"), profile }, user("hello"), lease("p1"));
      assert.deepEqual(begun.kind === "begun" && begun.profile, profile);
      await turns.wait(held("p1"), { waitsFor: ["apr_1"], results: {}, usage: {} });
      assert.deepEqual((await (await reopen()).take(ref, lease("p2"), 2_000))?.profile, profile);
      assert.ok(!("profile" in ((await turns.get(ref)) ?? {})));
    }),
    withTurns("begins a turn with its message, after those of earlier turns", async ({ turns, reopen }) => {
      const first = await turns.begin(makeTurn("t1"), odd, lease("p1"));
      assert.equal(first.kind, "begun");
      assert.deepEqual(await turns.end(held("p1"), makeEnding()), []);
      const second = await (await reopen()).begin(makeTurn("t2"), user("again"), lease("p2"));
      assert.ok(second.kind === "begun");
      assert.deepEqual(second.messages, [odd, assistant("Done."), user("again")]);
      assert.deepEqual(second.turn, { ...makeTurn("t2"), state: "running", steps: 0, text: "", waitsFor: [], usage: {} });
      const stored = await turns.messages({ tenant: "acme", conversation: "c1", after: 1 });
      assert.deepEqual(
        stored.map(({ sequence, turn }) => [sequence, turn]),
        [
          [2, "t1"],
          [3, "t2"],
        ],
      );
    }),
    withTurns("shows what belongs to a tenant to no other tenant", async ({ turns }) => {
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      const foreign = { ...ref, tenant: "other" };
      assert.equal(await turns.get(foreign), undefined);
      assert.deepEqual(await turns.list("other", {}), []);
      assert.deepEqual(await said(turns, "c1", "other"), []);
      assert.equal(await turns.take(foreign, lease("p2"), 9_000), undefined);
      assert.equal(await turns.news({ ...foreign, holder: "p1" }, next), undefined);
      assert.equal(await turns.cancel(foreign, "Stop."), undefined);
      assert.equal(await turns.keep({ ...foreign, holder: "p1" }, makeStep(1)), false);
      const other = await turns.begin(makeTurn("t1", { tenant: "other" }), user("mine"), lease("p9"));
      assert.equal(other.kind, "begun");
      assert.deepEqual(await said(turns), [user("hello")]);
    }),
    withTurns(
      "opens one turn of a conversation among many that begin at once, and queues what the others say",
      async ({ turns, reopen }) => {
        const other = await reopen();
        const begun = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            (index % 2 ? turns : other).begin(makeTurn(`t${index}`), user(`message ${index}`), lease(`p${index}`)),
          ),
        );
        const first = begun.find(({ kind }) => kind === "begun");
        assert.equal(begun.filter(({ kind }) => kind === "begun").length, 1);
        assert.ok(first && begun.every(({ turn }) => turn.id === first.turn.id));
        const holder = `p${first.turn.id.slice(1)}`;
        const news = await turns.news({ tenant: "acme", id: first.turn.id, holder }, next);
        assert.equal(news?.queued.length, 7);
        assert.equal((await said(turns)).length, 1);
      },
    ),
    withTurns("keeps a response with what it follows, queued messages after the step before", async ({ turns, reopen }) => {
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      await turns.begin(makeTurn("t2"), user("and"), lease("p2"));
      const news = await turns.news(held("p1"), next);
      assert.deepEqual(
        news?.queued.map(({ message }) => message),
        [user("and")],
      );
      await turns.begin(makeTurn("t3"), user("later"), lease("p3"));
      const queued = async (tenant = "acme", conversation = "c1") =>
        (await turns.queued({ tenant, conversation })).map(({ turn, message }) => [turn, message]);
      assert.deepEqual(await queued(), [
        ["t1", user("and")],
        ["t1", user("later")],
      ]);
      assert.deepEqual([await queued("other"), await queued("acme", "c2")], [[], []]);
      assert.equal(await turns.keep(held("p1"), makeStep(1, { response: { odd: "a\u0000b" } })), true);
      assert.equal(
        await turns.keep(held("p1"), makeStep(2, { settled: [assistant("one")], delivered: news?.queued.map(({ id }) => id) ?? [] })),
        true,
      );
      const again = await reopen();
      assert.deepEqual(await said(again), [user("hello"), assistant("one"), user("and")]);
      assert.deepEqual(await queued(), [["t1", user("later")]]);
      const taken = await again.take(ref, lease("p4", 20_000), 9_000);
      assert.deepEqual(taken?.open, { step: 2, response: makeStep(2).response, results: {} });
      assert.deepEqual([taken?.turn.steps, taken?.turn.usage], [2, usage]);
      assert.deepEqual(
        (await again.news(held("p4"), next))?.queued.map(({ message }) => message),
        [user("later")],
      );
    }),
    withTurns("keeps what requests of a conversation hold in the place of its messages, which stay", async ({ turns, reopen }) => {
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      await turns.begin(makeTurn("t2", { conversation: "c2" }), user("hello"), lease("p2"));
      assert.equal(await turns.keepContext(held("p1"), { until: 1 }), true);
      assert.equal(await turns.keepContext(held("p1"), { until: 2, odd: "a\u0000b" }), true);
      const other = await reopen();
      assert.deepEqual((await other.take(ref, lease("p3"), 5_000))?.context, { until: 2, odd: "a\u0000b" });
      assert.equal(await turns.keepContext(held("p1"), {}), false);
      await turns.end(held("p3"), makeEnding());
      assert.equal(await turns.keepContext(held("p3"), {}), false);
      const next = await turns.begin(makeTurn("t3"), user("again"), lease("p4"));
      assert.deepEqual(next.kind === "begun" && next.context, { until: 2, odd: "a\u0000b" });
      assert.deepEqual(await said(turns), [user("hello"), assistant("Done."), user("again")]);
      assert.ok(!("context" in ((await turns.take({ ...ref, id: "t2" }, lease("p5"), 9_000)) ?? {})));
    }),
    withTurns("refuses every write of a run that does not hold the turn any more", async ({ turns }) => {
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      assert.equal(await turns.take(ref, lease("p2"), 4_000), undefined);
      assert.ok(await turns.take(ref, lease("p2", 20_000), 5_000));
      assert.equal(await turns.keep(held("p1"), makeStep(1)), false);
      assert.equal(await turns.hold(held("p1"), { until: 30_000, usage: { inputTokens: 9 } }), false);
      assert.equal(await turns.wait(held("p1"), { waitsFor: ["apr_1"], results: {}, usage: {} }), false);
      assert.equal(await turns.end(held("p1"), makeEnding()), undefined);
      assert.equal(await turns.news(held("p1"), next), undefined);
      assert.equal((await turns.get(ref))?.state, "running");
      assert.deepEqual(await said(turns), [user("hello")]);
      assert.equal(await turns.hold(held("p2"), { until: 30_000, usage: { inputTokens: 7 } }), true);
      assert.equal(await turns.hold(held("p2"), { until: 30_000 }), true);
      assert.deepEqual((await turns.get(ref))?.usage, { inputTokens: 7 });
      assert.equal(await turns.take(ref, lease("p3"), 25_000), undefined);
    }),
    withTurns(
      "lets go of a turn that waits, with the results that are there, and gives it to one of many who take it up",
      async (place) => {
        const { turns } = place;
        await turns.begin(makeTurn("t1"), user("hello"), lease("p1", 90_000));
        await turns.keep(held("p1"), makeStep(1));
        assert.equal(await turns.wait(held("p1"), { waitsFor: ["apr_1"], results: { a: done }, usage: { inputTokens: 7 } }), true);
        const waiting = await turns.get(ref);
        assert.deepEqual([waiting?.waitsFor, waiting?.usage], [["apr_1"], { inputTokens: 7 }]);
        assert.deepEqual(await turns.lost({ now: 99_000, limit: 9 }), []);
        assert.equal((await turns.begin(makeTurn("t2"), user("meanwhile"), lease("p2"))).kind, "queued");
        const other = await place.reopen();
        const taken = await Promise.all(["p2", "p3", "p4"].map((holder) => other.take(ref, lease(holder, 20_000), 6_000)));
        const [one, ...more] = taken.filter((each) => each !== undefined);
        assert.equal(more.length, 0);
        assert.deepEqual(one?.open?.results, { a: done });
        assert.deepEqual([one?.turn.state, one?.turn.waitsFor, one?.waitedFor], ["running", [], ["apr_1"]]);
      },
    ),
    withTurns("lists running turns of any tenant whose lease is over", async ({ turns }) => {
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      await turns.begin(makeTurn("t9", { tenant: "other" }), user("hello"), lease("p9"));
      assert.deepEqual(await turns.lost({ now: 4_999, limit: 9 }), []);
      const lost = await turns.lost({ now: 5_000, limit: 9 });
      assert.deepEqual(new Set(lost.map(({ tenant, id }) => `${tenant} ${id}`)), new Set(["acme t1", "other t9"]));
      assert.equal((await turns.lost({ now: 5_000, limit: 1 })).length, 1);
    }),
    withTurns("goes on where a message was queued before it would be done, and ends otherwise", async ({ turns }) => {
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      await turns.begin(makeTurn("t2"), user("and"), lease("p2"));
      const queued = await turns.end(held("p1"), makeEnding({ settled: [assistant("first")] }));
      assert.deepEqual(
        queued?.map(({ message }) => message),
        [user("and")],
      );
      assert.equal((await turns.get(ref))?.state, "running");
      assert.deepEqual(await turns.end(held("p1"), makeEnding()), []);
      assert.deepEqual(await said(turns), [user("hello"), assistant("first"), user("and"), assistant("Done.")]);
      const ended = await turns.get(ref);
      assert.deepEqual([ended?.callId, ended?.state, ended?.text], ["call_t1", "done", "Done."]);
      assert.deepEqual([ended?.endedAt, ended?.usage], [3_000, usage]);
      assert.equal(await turns.take(ref, lease("p2"), 99_000), undefined);
    }),
    withTurns("keeps how it failed or which limit ended it, with queued messages as the last of the conversation", async ({ turns }) => {
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      await turns.begin(makeTurn("t2"), user("and"), lease("p2"));
      const error = { code: "tool_failed", toolCode: "model_unreachable", message: "No answer. Try again." } as const;
      assert.deepEqual(
        await turns.end(held("p1"), makeEnding({ state: "failed", text: "", error, limit: "steps", finishReason: "length", settled: [] })),
        [],
      );
      const ended = await turns.get(ref);
      assert.deepEqual([ended?.state, ended?.error, ended?.limit, ended?.finishReason], ["failed", error, "steps", "length"]);
      assert.deepEqual(await said(turns), [user("hello"), user("and")]);
      assert.equal((await turns.begin(makeTurn("t3"), user("next"), lease("p3"))).kind, "begun");
    }),
    withTurns("tells its holder and everybody else that it is to end, and leaves one that has ended as it is", async (place) => {
      const { turns } = place;
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      const other = await place.reopen();
      assert.equal((await other.cancel(ref, "Stop."))?.cancelReason, "Stop.");
      assert.equal((await other.cancel(ref, "Again."))?.cancelReason, "Stop.");
      assert.equal((await turns.news(held("p1"), next))?.cancelReason, "Stop.");
      assert.deepEqual(await turns.end(held("p1"), makeEnding({ state: "cancelled" })), []);
      assert.equal((await turns.cancel(ref, "Late."))?.state, "cancelled");
      assert.equal(await turns.cancel({ ...ref, id: "t9" }, "Stop."), undefined);
    }),
    withTurns("lists turns newest first, by conversation, agent and state", async ({ turns }) => {
      await turns.begin(makeTurn("t1"), user("one"), lease("p1"));
      await turns.begin(makeTurn("t2", { conversation: "c2", agent: "helper", owner: "ann", createdAt: 1_001 }), user("two"), lease("p2"));
      await turns.end({ ...ref, holder: "p1" }, makeEnding());
      await turns.begin(makeTurn("t3", { createdAt: 1_002 }), user("three"), lease("p3"));
      const ids = async (filter: Parameters<Turns["list"]>[1]) => (await turns.list("acme", filter)).map(({ id }) => id);
      assert.deepEqual(await ids({}), ["t3", "t2", "t1"]);
      assert.deepEqual(await ids({ conversation: "c1" }), ["t3", "t1"]);
      assert.deepEqual(await ids({ agent: "helper" }), ["t2"]);
      assert.deepEqual(await ids({ owner: "ann" }), ["t2"]);
      assert.deepEqual(await ids({ states: ["done"] }), ["t1"]);
      assert.deepEqual(await ids({ limit: 1 }), ["t3"]);
    }),
    withTurns("adds up what turns took, by model, agent and day, without those that asked no model", async ({ turns, reopen }) => {
      const day = Date.UTC(2026, 2, 1);
      const took = async (id: string, more: Partial<NewTurn>, spent: KeptStep["usage"]) => {
        await turns.begin(makeTurn(id, { conversation: id, createdAt: day, ...more }), user("hello"), lease("p1"));
        await turns.keep({ ...held("p1"), id, tenant: more.tenant ?? "acme" }, makeStep(2, { usage: spent }));
      };
      const counts = { inputTokens: 100, cachedInputTokens: 40, cacheWriteTokens: 10, outputTokens: 20, reasoningTokens: 5 };
      await took("t1", {}, { ...counts, models: ["p/small"], cost: 0.1 });
      await took("t2", { agent: "helper", createdAt: day + 90_000_000 }, { ...counts, models: ["p/small", "p/large"], cost: 0.2 });
      await took("t3", { agent: "helper" }, { models: ["own/llama"], inputTokens: 500, outputTokens: 1, estimated: true });
      await took("t4", { tenant: "other" }, { ...counts, models: ["p/small"], cost: 0.000_000_001 });
      await turns.begin(makeTurn("t5"), user("no answer"), lease("p5"));
      const none = { cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
      const read = (filter: Partial<TurnUsageFilter> = {}) => turns.usage({ tenant: "acme", by: "model", since: day, ...filter });
      const twice = { inputTokens: 200, cachedInputTokens: 80, cacheWriteTokens: 20, outputTokens: 40, reasoningTokens: 10 };
      assert.deepEqual(await read(), [
        { key: "own/llama", turns: 1, requests: 2, ...none, inputTokens: 500, outputTokens: 1, cost: null, unpriced: 1, estimated: 1 },
        { key: "p/small", turns: 2, requests: 4, ...twice, cost: 0.3, unpriced: 0, estimated: 0 },
      ]);
      const keys = async (filter: Partial<TurnUsageFilter>) => (await read(filter)).map((row) => [row.key, row.turns, row.cost]);
      assert.deepEqual(await keys({ by: "agent" }), [
        ["helper", 2, 0.2],
        ["assistant", 1, 0.1],
      ]);
      assert.deepEqual(await keys({ by: "day" }), [
        ["2026-03-01", 2, 0.1],
        ["2026-03-02", 1, 0.2],
      ]);
      assert.deepEqual(await keys({ agent: "helper", model: "p/small" }), [["p/small", 1, 0.2]]);
      assert.deepEqual(await keys({ by: "tenant", until: day + 1 }), [["acme", 2, 0.1]]);
      assert.deepEqual(await keys({ tenant: "other" }), [["p/small", 1, 0.000_000_001]]);
      assert.deepEqual(await keys({ since: day + 180_000_000 }), []);
      // What was spent without an answer, such as a summary before one that failed.
      await turns.end(
        { ...held("p5"), id: "t5" },
        makeEnding({ state: "failed", usage: { models: ["p/small"], inputTokens: 7, outputTokens: 1 } }),
      );
      const [spent] = await (await reopen()).usage({ tenant: "acme", by: "tenant", since: 0, agent: "assistant", until: day });
      assert.deepEqual([spent?.turns, spent?.requests, spent?.inputTokens], [1, 0, 7]);
    }),
    withTurns("counts what a turn, its parent and the sub-agents of that one took and have reserved", async ({ turns, reopen }) => {
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      await turns.keep(held("p1"), makeStep(1, { usage: { ...usage, cost: 0.5 } }));
      const ids = ["t2", "t3", "t4"];
      for (const id of ids) await turns.begin(makeTurn(id, { conversation: id, parent: "t1" }), user("help"), lease(id));
      await turns.begin(makeTurn("t9", { conversation: "t9", parent: "t8", background: true }), user("help"), lease("t9"));
      const other = await reopen();
      const ask = (id: string) => other.news({ ...ref, id, holder: id }, { tokens: 10, cost: 0.25 });
      const asked = await Promise.all(ids.map(ask));
      assert.deepEqual(
        asked.map((news) => news?.taken.tokens).toSorted((a = 0, b = 0) => a - b),
        [5, 15, 25],
      );
      assert.deepEqual((await ask("t2"))?.taken, { tokens: 25, cost: 1 });
      await other.keep({ ...ref, id: "t3", holder: "t3" }, makeStep(1));
      await other.wait({ ...ref, id: "t4", holder: "t4" }, { waitsFor: ["apr_1"], results: {}, usage: {} });
      assert.deepEqual((await turns.news(held("p1"), next))?.taken, { tokens: 20, cost: 0.75 });
      assert.deepEqual((await other.get({ ...ref, id: "t2" }))?.parent, "t1");
      assert.deepEqual((await other.list("acme", { parents: ["t1", "t7"] })).map(({ id }) => id).toSorted(), ids);
      assert.deepEqual(
        (await other.lost({ now: 99_000, limit: 9 })).map(({ id, background }) => [id, background]),
        [
          ["t1", undefined],
          ["t9", true],
        ],
      );
    }),
    withTurns("tells who follows the tenant of changes, and nobody else", async ({ turns }) => {
      const heard = new Set<string>();
      const heardElsewhere = new Set<string>();
      const first = new Promise<void>((resolve) => {
        turns.follow("acme", (id) => {
          if (id !== undefined) heard.add(id);
          if (heard.has("t1")) resolve();
        });
      });
      turns.follow("other", (id) => {
        if (id !== undefined) heardElsewhere.add(id);
      });
      await turns.begin(makeTurn("t1"), user("hello"), lease("p1"));
      await first;
      assert.deepEqual([...heardElsewhere], []);
    }),
  ];
}
