import { createHostDriver } from "@toolwright/sandbox";
import { exec, processList, processRead, processStop, processWrite } from "@toolwright/tools";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTools } from "./open-tools.ts";

const host = createHostDriver();
let tools: ReturnType<typeof openTools>;
beforeEach(() => {
  tools = openTools(host);
});
afterEach(() => tools.close());
afterAll(() => host.close());

describe("exec", () => {
  test("a failing command is a result with its exit code and both streams, and nothing that says nothing", async () => {
    const { output, text } = await tools.call(exec, { command: "echo out; echo err >&2; exit 3" });
    const durationMs = expect.toSatisfy(Number.isInteger);
    expect(output).toEqual({ exit: { exitCode: 3, signal: null, reason: "exited", durationMs }, stdout: "out\n", stderr: "err\n" });
    expect(text).toMatch(/^exit code 3 \(\d+\.\d s\)\nstdout:\nout\nstderr:\nerr$/);
  });

  test("a command without output is short", async () => {
    expect((await tools.call(exec, { command: "true" })).text).toMatch(/^exit code 0 \(\d+\.\d s\)$/);
  });

  test("the time limit is in seconds, and its end is said", async () => {
    const { output, text } = await tools.call(exec, { command: "sleep 60", timeout: 0.2 });
    expect(output.exit?.reason).toBe("timeout");
    expect(text).toContain("killed: it reached its time limit");
  });

  test("long output is cut with its artifact named", async () => {
    const { output, notes } = await tools.call(exec, { command: "seq 1 100000" });
    expect(output.truncated).toBe(true);
    expect(output.stdout).toContain(`artifact ${output.artifacts?.[0]} holds the whole output`);
    expect(notes).toEqual([
      expect.stringMatching(`^stdout was cut: \\d+ of 588895 bytes are here. The whole is artifact ${output.artifacts?.[0]}.$`),
    ]);
  });

  test("runs in the folder it is told", async () => {
    expect((await tools.call(exec, { command: "mkdir a && pwd", workdir: "." })).output.stdout).toBe(`${tools.workspace}\n`);
    expect((await tools.call(exec, { command: "pwd", workdir: "a" })).output.stdout).toBe(`${tools.workspace}/a\n`);
  });

  test("reaches exactly the command and folder that will be judged at the run", async () => {
    const judged: unknown[] = [];
    const { judge } = tools.site;
    tools.site.judge = (reach) => {
      judged.push(reach);
      return judge(reach);
    };
    const input = { command: "true" };
    await tools.call(exec, input);
    expect(JSON.stringify(judged)).toBe(JSON.stringify(exec.reaches?.(input)));
  });
});

describe("background processes", () => {
  test("one is started, answered, followed to its end and listed", async () => {
    const started = await tools.call(exec, { command: "echo ready; read name; echo hello $name", background: true });
    expect(started.output).toMatchObject({ exit: null, stdout: "ready\n" });
    const id = started.output.processId!;
    expect(started.text).toContain(`running in the background as ${id}; go on with process_read, cursor 6`);
    expect((await tools.call(processList, {})).text).toBe(`${id} running: echo ready; read name; echo hello $name`);
    expect((await tools.call(processWrite, { id, data: "you\n" })).output).toEqual({ id, bytes: 4, ended: false });
    const { output } = await tools.call(processRead, { id, cursor: started.output.cursor, wait: 10 });
    expect(output).toMatchObject({ text: "hello you\n", missed: 0 });
    const end = await tools.call(processRead, { id, cursor: output.cursor, wait: 10 });
    expect(end.output.process).toMatchObject({ state: "exited", exit: { exitCode: 0 } });
    expect(end.text).toContain("exit code 0");
  });

  test("one that fails at once says so in the first answer", async () => {
    const { output } = await tools.call(exec, { command: "exit 7", background: true });
    expect(output.exit?.exitCode).toBe(7);
  });

  test("one is stopped, twice without harm", async () => {
    const { output } = await tools.call(exec, { command: "sleep 60 & echo up; wait", background: true });
    const id = output.processId!;
    expect((await tools.call(processStop, { id })).output.process.exit?.reason).toBe("stopped");
    expect((await tools.call(processStop, { id })).text).toContain("stopped on request");
  });

  test.each([
    ["process_read", processRead, {}],
    ["process_write", processWrite, { data: "x" }],
    ["process_stop", processStop, {}],
  ] as const)("%s answers an unknown id with `process_not_found`", async (_, tool, input) => {
    expect((await tools.refusal(tool, { id: "proc_unknown", ...input })).code).toBe("process_not_found");
  });
});
