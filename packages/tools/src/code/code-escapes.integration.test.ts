import { afterAll, describe, expect, it } from "vitest";
import { closeEngines, openStores, outputOf, say } from "./testing/program-workbench.ts";

const { scope } = openStores().start([say]);
const run = (program: string) => scope.invokeNamed("code_run", { program });
afterAll(closeEngines);

describe("a program that wants out", () => {
  const noEval = expect.stringContaining("cannot make code of texts");
  const attempts: [what: string, program: string, result: unknown][] = [
    ["eval", 'try { return eval("1") } catch (error) { return error.message }', noEval],
    ["Function", 'try { return new Function("return 1")() } catch (error) { return error.message }', noEval],
    ["the constructor of a function", 'try { return (() => {}).constructor("return 1")() } catch (error) { return error.message }', noEval],
    [
      "the constructor of an async function",
      'try { return await (async () => {}).constructor("return 1")() } catch (error) { return error.message }',
      noEval,
    ],
    [
      "the constructor of a generator",
      'try { return (function* () {}).constructor("yield 1")().next() } catch (error) { return error.message }',
      noEval,
    ],
    [
      "the constructor of an async generator",
      'try { return (async function* () {}).constructor("yield 1") } catch (error) { return error.message }',
      noEval,
    ],
    ["the constructor of a tool", 'try { return tools.say.constructor("return 1")() } catch (error) { return error.message }', noEval],
    [
      "the constructor of a function of the log",
      'try { return console.log.constructor.constructor("return this")() } catch (error) { return error.message }',
      noEval,
    ],
    [
      "the constructor of an answer",
      'const answer = await tools.say({ value: "a" }); try { return answer.constructor.constructor("return 1")() } catch (error) { return error.message }',
      noEval,
    ],
    [
      "the constructor of an error",
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
    ["a function as an input", "return await tools.say(() => {}).catch((error) => error.code)", "not_json"],
    [
      "a cycle as an input",
      "const input = {}; input.value = input; return await tools.say(input).catch((error) => error.code)",
      "not_json",
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

describe("a program in a thread that another tenant used", () => {
  const leavings: [what: string, program: string][] = [
    [
      "globals and prototypes",
      'globalThis.left = "secret"; Object.prototype.left = "secret"; Array.prototype.push = () => "secret"; return 1',
    ],
    [
      "promises and calls that nobody awaits",
      'tools.say({ value: "left" }).then(() => { globalThis.left = "secret" }); new Promise(() => {}); return 1',
    ],
    ["an error", 'globalThis.left = "secret"; throw new Error("left")'],
    ["a loop that is stopped from outside", 'globalThis.left = "secret"; for (;;) {}'],
    ["full memory", 'globalThis.left = ["secret"]; for (;;) left.push("secret ".repeat(1_000_000) + left.length)'],
  ];
  const look = `
    const { value } = await tools.say({ value: "own" });
    return [typeof left, ({}).left, [1].push(2), value, Object.getOwnPropertyNames(globalThis).length];`;
  it("finds nothing of what was left behind", async () => {
    const { scopeOf } = openStores().start([say]);
    const ofOther = (program: string) => scopeOf("other").invokeNamed("code_run", { program, timeoutMs: 200 });
    const { result: alone } = outputOf(await scopeOf("acme").invokeNamed("code_run", { program: look }));
    expect(alone.slice(0, 4)).toEqual(["undefined", null, 2, "say own"]);
    for (const [what, program] of leavings) {
      await ofOther(program);
      expect(outputOf(await scopeOf("acme").invokeNamed("code_run", { program: look })).result, what).toEqual(alone);
    }
  });

  it("takes no more memory the more of them there were", async () => {
    const { scopeOf } = openStores().start([say]);
    const fill =
      'const kept = []; for (let index = 0; index < 10; index += 1) kept.push("x".repeat(1_000_000) + index); return kept.length';
    const runMany = async (count: number) => {
      for (let index = 0; index < count; index += 1)
        expect(outputOf(await scopeOf(index % 2 === 0 ? "acme" : "other").invokeNamed("code_run", { program: fill })).result).toBe(10);
      return process.memoryUsage.rss() / 2 ** 20;
    };
    const ten = await runMany(10);
    expect((await runMany(20)) - ten).toBeLessThan(150);
  });
});
