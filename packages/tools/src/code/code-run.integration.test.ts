import { type AnyTool, type CallResult, createEngine, defineTool, type Engine, type Json, type Principal } from "@toolwright/engine";
import {
  createMemoryApprovalStore,
  createMemoryCallTree,
  createMemoryEventLog,
  createMemoryIdempotencyStore,
} from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { codeCapability, codeRun } from "./index.ts";

const ann: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: ["code.tenant.run", "approvals:answer"],
  door: "cli",
  interactive: true,
};
const value = z.object({ value: z.string() });
const ran: string[] = [];
const tool = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: "Notes that it ran, for tests.",
    input: value,
    output: value,
    effects: { destructive: true },
    run({ value }: { value: string }) {
      ran.push(`${name} ${value}`);
      return { value: `${name} ${value}` };
    },
    ...more,
  } as never) as AnyTool;
const say = tool("say");
const ask = tool("ask", { approval: "always_ask" });
const fails = tool("fails", { run: () => ({ [Symbol.for("toolwright.failure")]: true, code: "not_there", message: "It is not there." }) });
const hidden = tool("hidden", { permission: "other.tenant.run" });
const other = tool("other_name", {});

const engines: Engine[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.close())));
beforeEach(() => {
  ran.length = 0;
});

/** What outlives engines, as a database does. */
function openPlace() {
  const approvals = createMemoryApprovalStore();
  const clock = createManualClock();
  const stores = {
    ...{ approvals, clock, callTree: createMemoryCallTree({ approvals }), events: createMemoryEventLog() },
    idempotency: createMemoryIdempotencyStore(),
  };
  return {
    ...stores,
    start(tools: readonly AnyTool[] = [say, ask, fails, hidden, other]) {
      const capabilities = [codeCapability({ clock: { ...clock, after: realClock.after, monotonic: realClock.monotonic } })];
      const engine = createEngine({ ...stores, policy: { autonomy: "full" } as never, capabilities, tools: [codeRun, ...tools] });
      engines.push(engine);
      return engine.scope(ann, { session: "s1" });
    },
  };
}
const realClock = {
  monotonic: () => performance.now(),
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

const plain = openPlace().start();
const run = (program: string, timeoutMs?: number) => plain.invokeNamed("code_run", { program, ...(timeoutMs && { timeoutMs }) });
const outputOf = (result: CallResult) => {
  if (result.status !== "done") throw new Error(JSON.stringify(result));
  const { result: text, ...rest } = result.output as { result: string | null; logs: string[]; calls: Json[] };
  return { result: text === null ? null : JSON.parse(text), ...rest };
};

describe("a program", () => {
  it("calls tools through the gate, at once too, and gives result, log and calls", async () => {
    const result = await run(`
      const first = await tools.say({ value: "a" });
      const both = await Promise.all(["b", "c"].map((value) => tools.say({ value })));
      console.log("said", first, [1]);
      return [first.value, ...both.map(({ value }) => value)];`);
    expect(outputOf(result)).toEqual({
      result: ["say a", "say b", "say c"],
      logs: ['said {"value":"say a"} [1]'],
      calls: [{ tool: "say", done: 3, notDone: 0 }],
    });
    expect(ran).toEqual(["say a", "say b", "say c"]);
  });

  it("catches what a call ends with", async () => {
    const caught = (call: string) => `await ${call}.catch((error) => [error instanceof Error, error.code, error.message])`;
    const { result, calls } = outputOf(
      await run(`return [${caught('tools.fails({ value: "" })')}, ${caught("tools.say({ value: 1n })")}]`),
    );
    expect(result).toEqual([
      [true, "not_there", "It is not there."],
      [true, null, "Do not know how to serialize a BigInt"],
    ]);
    expect(calls).toEqual([{ tool: "fails", done: 0, notDone: 1 }]);
  });

  it("has the tools that its caller may use, and neither itself nor what is hidden", async () => {
    const { result } = outputOf(
      await run(`
        const code = (name) => tools[name]({}).catch((error) => error.code);
        return [Object.keys(tools), "hidden" in tools, await Promise.all(["hidden", "missing", "code_run", "constructor", "__proto__", "hasOwnProperty"].map(code))];`),
    );
    expect(result).toEqual([["ask", "fails", "other_name", "say"], false, Array(6).fill("tool_not_found")]);
  });

  it("makes two hundred calls, and no more", async () => {
    const loop =
      'let made = 0; try { for (;;) { await tools.say({ value: "x" }); made += 1; } } catch (error) { return [made, error.code]; }';
    expect(outputOf(await run(loop)).result).toEqual([200, "call_tree_full"]);
    const atOnce =
      'const ended = await Promise.allSettled(Array.from({ length: 300 }, () => tools.say({ value: "x" }))); return ended.filter(({ status }) => status === "fulfilled").length;';
    expect(outputOf(await run(atOnce)).result).toBe(200);
    expect(ran).toHaveLength(400);
  });

  it("is the body of an async function that may return nothing", async () => {
    expect(outputOf(await run("// nothing"))).toMatchObject({ result: null, logs: [], calls: [] });
    expect(outputOf(await run("return { then(resolve) { resolve(7); } }"))).toMatchObject({ result: 7 });
  });

  it("has a log that is bounded, and says what it left out", async () => {
    const result = await run('for (let line = 0; line < 2000; line += 1) console.log(line); console.log("x".repeat(5000));');
    expect(outputOf(result).logs).toHaveLength(1000);
    expect(result.notes).toEqual([expect.stringContaining("1001 more lines of the log were dropped")]);
  });
});

describe("a program that does not end well", () => {
  const endings: [what: string, program: string, code: string, message: RegExp][] = [
    [
      "throws",
      'await tools.say({ value: "a" });\nthrow new TypeError("Odd.")',
      "program_threw",
      /TypeError: Odd\. \(line 2\).* 1 calls are done/,
    ],
    ["throws what is no error", "throw { toString() { throw 1; } }", "program_threw", /threw/],
    ["is no program", "return (", "program_threw", /SyntaxError/],
    ["loops", "for (;;) {}", "program_timeout", /computed for 200 ms/],
    [
      "loops without a pause between calls of its own",
      "const next = () => Promise.resolve().then(next); await next()",
      "program_timeout",
      /200 ms/,
    ],
    ["backtracks", '/(a+)+b/.test("a".repeat(50))', "program_timeout", /200 ms/],
    ["loops where its error is read", "throw { toJSON() { for (;;) {} } }", "program_timeout", /200 ms/],
    ["loops where its result is written", "return { toJSON() { for (;;) {} } }", "program_timeout", /200 ms/],
    ["never settles", "await new Promise(() => {})", "program_never_settles", /nothing settles/],
    ["recurses", "const again = () => again() + 1; return again()", "program_threw", /stack overflow/],
    ["returns too much", 'return "x".repeat(2_000_000)', "program_threw", /1000000 are allowed/],
    ["returns what is no JSON", "return 10n", "program_threw", /BigInt/],
    ["passes too much", 'await tools.say({ value: "x".repeat(2_000_000) })', "program_threw", /input of "say" has/],
  ];
  it.each(endings)("that %s fails with a code and says what to do", async (_what, program, toolCode, message) => {
    const from = performance.now();
    expect(await run(program, 200)).toMatchObject({
      status: "failed",
      error: { code: "tool_failed", toolCode, message: expect.stringMatching(message) },
    });
    expect(performance.now() - from).toBeLessThan(5_000);
  });

  it.each([
    ["many strings", 'const kept = []; for (;;) kept.push("x".repeat(100_000) + kept.length)'],
    ["arrays", "const kept = []; for (;;) kept.push(new Array(100_000).fill(kept.length))"],
    ["buffers", "const kept = []; for (;;) kept.push(new Uint8Array(1_000_000))"],
    ["one array", "return new Array(1e9).fill(0).length"],
    ["one text", 'return JSON.stringify(Array(60).fill("x".repeat(1_000_000))).length'],
  ])("that fills memory with %s is ended", async (_what, program) => {
    expect(await run(program, 1_000)).toMatchObject({ error: { toolCode: expect.stringMatching(/^program_(memory|timeout)$/) } });
    expect(outputOf(await run("return 1")).result).toBe(1);
  });

  it("says what it logged before", async () => {
    const result = await run('console.log("so far"); throw new Error("Odd.")');
    expect(result).toMatchObject({ error: { details: { logs: ["so far"] } } });
  });

  it("refuses what is longer than 64 kB before anything runs", async () => {
    expect(await run(`// ${"x".repeat(65_536)}`)).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
  });
});

describe("a program that wants out", () => {
  const noEval = expect.stringContaining("cannot make code of texts");
  const attempts: [what: string, program: string, result: unknown][] = [
    ["eval", 'try { return eval("1") } catch (error) { return error.message }', noEval],
    ["Function", 'try { return new Function("return 1")() } catch (error) { return error.message }', noEval],
    ["the constructor of a function", 'try { return (() => {}).constructor("return 1")() } catch (error) { return error.message }', noEval],
    ["of an async one", 'try { return await (async () => {}).constructor("return 1")() } catch (error) { return error.message }', noEval],
    ["of a generator", 'try { return (function* () {}).constructor("yield 1")().next() } catch (error) { return error.message }', noEval],
    [
      "of an async generator",
      'try { return (async function* () {}).constructor("yield 1") } catch (error) { return error.message }',
      noEval,
    ],
    ["of a tool", 'try { return tools.say.constructor("return 1")() } catch (error) { return error.message }', noEval],
    [
      "of what the host made",
      'try { return console.log.constructor.constructor("return this")() } catch (error) { return error.message }',
      noEval,
    ],
    [
      "of an answer",
      'const answer = await tools.say({ value: "a" }); try { return answer.constructor.constructor("return 1")() } catch (error) { return error.message }',
      noEval,
    ],
    [
      "of an error",
      'const error = await tools.missing().catch((error) => error); try { return error.constructor.constructor("return 1")() } catch (error) { return error.message }',
      noEval,
    ],
    ["import", 'return await import("node:fs").catch((error) => error.message)', expect.stringContaining("could not load")],
    [
      "globals of Node",
      "return [typeof process, typeof require, typeof globalThis.fetch, typeof setTimeout, typeof WebAssembly, typeof SharedArrayBuffer]",
      Array(6).fill("undefined"),
    ],
    ["the closing bracket of its own function", "return 1 })(); (async () => { return typeof process", "undefined"],
    ["a tool of its own", '"use strict"; try { tools.mine = () => 1; return "set" } catch (error) { return error.name }', "TypeError"],
    ["another gate", 'try { globalThis.tools = {}; return "set" } catch (error) { return error.name }', "TypeError"],
    ["a prototype of the host's", 'Object.prototype.polluted = "yes"; Array.prototype.map = () => ["no"]; return 1', 1],
    [
      "a prototype by an input",
      'return await tools.say(JSON.parse(\'{ "value": "a", "__proto__": { "polluted": "yes" } }\')).catch((error) => error.code)',
      "invalid_input",
    ],
    ["a prototype by a result", 'return JSON.parse(\'{ "__proto__": { "polluted": "yes" }, "constructor": 1 }\').constructor', 1],
    ["a getter in an input", 'let read = 0; await tools.say({ get value() { read += 1; return "a" } }); return read', 1],
    [
      "a getter that throws",
      'return await tools.say({ get value() { throw new Error("Read.") } }).catch((error) => error.message)',
      "Read.",
    ],
    [
      "a proxy as an input",
      'return (await tools.say(new Proxy({}, { ownKeys: () => ["value"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: (_target, key) => (key === "value" ? "a" : undefined) }))).value',
      "say a",
    ],
    ["a symbol as an input", "return await tools.say(Symbol.iterator).catch((error) => error.code)", "invalid_input"],
    ["a function as an input", "return await tools.say(() => {}).catch((error) => error.code)", "invalid_input"],
    [
      "a cycle as an input",
      "const input = {}; input.value = input; return await tools.say(input).catch((error) => error.name)",
      "TypeError",
    ],
    [
      "a deep input",
      'let input = "x"; for (let level = 0; level < 500; level += 1) input = [input]; return await tools.say({ value: input }).catch((error) => error.code)',
      "input_too_large",
    ],
    ["a thenable as a result", 'return { then(resolve) { resolve({ then(next) { next("end") } }) } }', "end"],
    [
      "a thenable by a prototype",
      'Object.prototype.then = function (resolve) { delete Object.prototype.then; resolve("stolen") }; return await tools.say({ value: "a" })',
      "stolen",
    ],
    [
      "an async generator",
      'const all = []; for await (const { value } of (async function* () { yield tools.say({ value: "a" }); yield tools.say({ value: "b" }) })()) all.push(value); return all',
      ["say a", "say b"],
    ],
    [
      "JSON of its own",
      'JSON.parse = () => ({ isDone: true, value: "forged" }); JSON.stringify = () => "{}"; return (await tools.say({ value: "a" })).value',
      "say a",
    ],
    [
      "promises of its own",
      'const { Promise: Real } = globalThis; globalThis.Promise = function () { return { then() {} } }; return (await tools.say({ value: "a" })).value',
      "say a",
    ],
    [
      "a map that hands out others' answers",
      'Map.prototype.get = () => ({ resolve() {}, reject() {} }); const late = tools.say({ value: "a" }); delete Map.prototype.get; return typeof late.then',
      "function",
    ],
    [
      "a name of millions of characters",
      'return (await tools["x".repeat(1_000_000)]().catch((error) => error.message)).length < 300',
      true,
    ],
    [
      "the stack of an error",
      'Error.prepareStackTrace = (_error, sites) => sites; const { stack } = new Error("a"); return typeof stack === "string" && !stack.includes("/")',
      true,
    ],
  ];
  it.each(attempts)("by %s stays in", async (_what, program, expected) => {
    expect(outputOf(await run(program)).result).toEqual(expected);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
    expect([1].map((one) => one)).toEqual([1]);
  });

  it("cannot tell one run from another: clock, zone and chance come with the call", async () => {
    const told =
      "return [Date.now(), new Date().toString(), Date(), new (class extends Date {})().getTime(), new Date(0).constructor.now(), new Date(2020, 5, 1).getTime(), Math.random(), Math.random()]";
    const first = outputOf(await run(told)).result;
    expect(first.slice(0, 6)).toEqual([
      ...[Date.UTC(2026, 0, 1), new Date(Date.UTC(2026, 0, 1)).toUTCString()].map(() => expect.anything()),
      ...[expect.anything(), first[0], first[0]],
      Date.UTC(2020, 5, 1),
    ]);
    expect(first[6]).not.toBe(first[7]);
    expect(outputOf(await run(told)).result.slice(6)).not.toEqual(first.slice(6));
  });
});

describe("a program with a call that waits for a person", () => {
  const program = `
    const random = Math.random();
    const before = await tools.say({ value: "before" });
    const [asked, beside] = await Promise.all([tools.ask({ value: "please" }).catch((error) => ({ value: error.code })), tools.say({ value: "beside" })]);
    const after = await tools.say({ value: "after " + random });
    console.log(Date.now());
    return [before, asked, beside, after].map(({ value }) => value);`;

  it("waits, is run again by another process, and makes each call once", async () => {
    const place = openPlace();
    const waiting = await place.start().invokeNamed("code_run", { program });
    if (waiting.status !== "pending") throw new Error(JSON.stringify(waiting));
    expect(ran).toEqual(["say before", "say beside"]);
    const began = place.clock.now();
    await place.clock.advance(60_000);
    const later = place.start();
    expect((await later.approval(waiting.approval.id))?.record).toMatchObject({
      tool: "ask",
      place: { root: waiting.callId, step: "2", chain: ["code_run"] },
    });
    await later.answer(waiting.approval.id, { kind: "approve" });
    const result = await later.resume(waiting.approval.id);
    const { result: values, logs, calls } = outputOf(result);
    expect(result.callId).toBe(waiting.callId);
    expect(values).toEqual(["say before", "ask please", "say beside", expect.stringMatching(/^say after 0\.\d+$/)]);
    expect(logs).toEqual([`${began}`]);
    expect(calls).toEqual([
      { tool: "say", done: 3, notDone: 0 },
      { tool: "ask", done: 1, notDone: 0 },
    ]);
    expect(ran.map((each) => each.replace(/ 0\.\d+$/, ""))).toEqual(["say before", "say beside", "ask please", "say after"]);
  });

  it("goes on with an error where the person denies", async () => {
    const place = openPlace();
    const scope = place.start();
    const waiting = await scope.invokeNamed("code_run", { program });
    if (waiting.status !== "pending") throw new Error(JSON.stringify(waiting));
    await scope.answer(waiting.approval.id, { kind: "deny", message: "No." });
    expect(outputOf(await scope.resume(waiting.approval.id)).result[1]).toBe("denied");
  });

  it("takes the same way although answers come in another order when they are recorded", async () => {
    const order: (() => void)[] = [];
    const slow = tool("slow", {
      run: ({ value }: { value: string }) =>
        new Promise((resolve) => {
          order.push(() => resolve({ value }));
          // The last that was asked answers first.
          if (order.length === 3) for (const answer of order.reverse()) answer();
        }),
    });
    const place = openPlace();
    const scope = place.start([say, ask, slow]);
    const racing = `
      const came = [];
      await Promise.all(["a", "b", "c"].map(async (value) => { came.push((await tools.slow({ value })).value); await tools.say({ value }); }));
      const first = await Promise.race([tools.say({ value: "d" }), tools.say({ value: "e" })]);
      await tools.ask({ value: came.join("") + first.value });
      return came;`;
    const waiting = await scope.invokeNamed("code_run", { program: racing });
    if (waiting.status !== "pending") throw new Error(JSON.stringify(waiting));
    await scope.answer(waiting.approval.id, { kind: "approve" });
    expect(outputOf(await place.start([say, ask, slow]).resume(waiting.approval.id)).result).toEqual(["a", "b", "c"]);
    expect(ran).toEqual(["say a", "say b", "say c", "say d", "say e", "ask abcsay d"]);
  });

  it("fails where it takes another way than before", async () => {
    const place = openPlace();
    const byTools =
      'await tools[Object.keys(tools).find((name) => name !== "ask")]({ value: "a" }); await tools.ask({ value: "b" }); return "end";';
    const waiting = await place.start([say, ask]).invokeNamed("code_run", { program: byTools });
    if (waiting.status !== "pending") throw new Error(JSON.stringify(waiting));
    const later = place.start([other, say, ask]);
    await later.answer(waiting.approval.id, { kind: "approve" });
    expect(await later.resume(waiting.approval.id)).toMatchObject({
      status: "failed",
      error: { code: "step_diverged", message: expect.stringContaining('"1"') },
    });
    expect(ran).toEqual(["say a"]);
  });

  it("is cancelled with its thread", async () => {
    const controller = new AbortController();
    const running = plain.invokeNamed(
      "code_run",
      { program: "for (;;) {}" },
      { signal: controller.signal, onStart: () => controller.abort() },
    );
    expect(await running).toMatchObject({ status: "cancelled" });
  });
});
