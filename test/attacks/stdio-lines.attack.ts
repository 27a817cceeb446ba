import { mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Child, Place } from "../e2e/run-cli.ts";

/** R-ST-1: whoever holds the other end of stdin sends what no client should, or leaves in the middle. */
let place: Place;
beforeAll(async () => {
  place = await Place.make();
  await mkdir(place.path("tools"));
  await writeFile(place.path("tools/endless.tool.ts"), endlessTool);
});
afterAll(() => place.remove());

/** Hears of the end of its call, and goes on. */
const endlessTool = `import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({ name: "endless", description: "Runs on for the tests of this folder, whatever it is told.",
  input: z.object({}), output: z.object({}), run: () => new Promise((resolve) => setTimeout(resolve, 600_000, {})) });
`;
const megabyte = 1024 * 1024;
const newline = Buffer.from("\n");

interface Message {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string; readonly limit?: number } };
}

const eras = {
  "2025-11-25": {
    open: { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } } },
    params: {},
  },
  "2026-07-28": {
    open: { method: "server/discover", params: {} },
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  },
} as const;
type Era = keyof typeof eras;

/** The other end of a `toolwright mcp`. */
class Wire {
  readonly child: Child;
  readonly exited: Promise<number | null>;
  readonly said: { err: string } = { err: "" };
  readonly #era: Era;
  readonly #messages: Message[] = [];
  #tell = () => {};
  #rest = "";
  #id = 0;

  constructor(era: Era, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.#era = era;
    this.child = place.start(["mcp", ...args], { env });
    this.exited = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.said.err += chunk;
    });
    // A process that ends while this still writes.
    this.child.stdin.on("error", () => {});
  }

  /** From here on; before, answers stay in the pipe. */
  listen(): void {
    this.child.stdout.on("data", (chunk: Buffer) => {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop() ?? "";
      this.#messages.push(...lines.map((line) => JSON.parse(line) as Message));
      this.#tell();
    });
  }

  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.child.stdin.write(bytes, () => resolve()));
  }

  line(method: string, params: object = {}, id: number = ++this.#id): string {
    return JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, ...eras[this.#era].params } });
  }

  async ask(method: string, params?: object, end = "\n"): Promise<Message> {
    const id = ++this.#id;
    await this.send(`${this.line(method, params, id)}${end}`);
    return this.find((message) => message.id === id);
  }

  open(): Promise<Message> {
    const { method, params } = eras[this.#era].open;
    return this.ask(method, params);
  }

  /** The first message of this kind from now on, which is taken off; rejects when the process ends before. */
  async find(isIt: (message: Message) => boolean): Promise<Message> {
    const gone = this.exited.then(() => "gone" as const);
    for (;;) {
      const at = this.#messages.findIndex(isIt);
      if (at >= 0) return this.#messages.splice(at, 1)[0] as Message;
      const more = new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
      if ((await Promise.race([more, gone])) === "gone") throw new Error(`The process ended: ${this.said.err}`);
    }
  }
}

const isRefusal = ({ id, error }: Message) => error !== undefined && (id === null || id === undefined);
const tools = { result: { tools: expect.arrayContaining([expect.objectContaining({ name: "file_read" })]) } };

describe.each(Object.keys(eras) as Era[])("a process that serves a client of %s", (era) => {
  let wire: Wire;
  beforeAll(() => {
    wire = new Wire(era);
    wire.listen();
  });

  test("answers a first line of 12 MB with input_too_large, and opens with the next", async () => {
    await wire.send(Buffer.concat([Buffer.alloc(12 * megabyte, "x"), newline]));
    expect(await wire.open()).toMatchObject({ result: {} });
    const { error } = await wire.find(isRefusal);
    expect(error).toMatchObject({ code: -32600, data: { code: "input_too_large", limit: 10 * megabyte } });
    expect(error?.message).toMatch(/larger than 10485760 bytes.*workspace/);
    expect(await wire.ask("tools/list")).toMatchObject(tools);
  });

  test.each([
    { name: "a name first", of: (id: number, text: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "x", text } }) },
    { name: "a name last", of: (id: number, text: string) => ({ method: "tools/call", params: { name: "x", text }, jsonrpc: "2.0", id }) },
  ])("answers a request of 12 MB under its own id: $name", async ({ of }) => {
    await wire.send(`${JSON.stringify(of(7001, "x".repeat(12 * megabyte)))}\n`);
    expect(await wire.find(({ id }) => id === 7001)).toMatchObject({ error: { data: { code: "input_too_large" } } });
    expect(await wire.ask("tools/list")).toMatchObject(tools);
  });

  const bad: readonly (readonly [string, string | Buffer, number | undefined])[] = [
    ["noise", "npm warn something else\n", -32700],
    ["half of JSON", '{"jsonrpc":"2.0","id":1,"meth\n', -32700],
    ["a NUL character", '{"jsonrpc":"2.0","id":1,"method":"pi\0ng"}\n', -32700],
    ["NUL characters alone", Buffer.concat([Buffer.alloc(4096), newline]), -32700],
    [
      "bytes that are no UTF-8",
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]),
      -32700,
    ],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600],
    ["JSON that is no message", '"ping"\n', -32600],
    ["an object that is no message", '{"hello":1}\n', -32600],
    ["a hundred thousand levels", `${"[".repeat(100_000)}${"]".repeat(100_000)}\n`, -32600],
    ["a key that changes objects", '{"__proto__":{"method":"ping","id":1,"jsonrpc":"2.0"}}\n', -32600],
    ["empty lines", "\n\r\n   \n", undefined],
  ];
  test.each(bad)("answers the line after %s", async (_, bytes, code) => {
    await wire.send(bytes);
    if (code !== undefined) expect((await wire.find(isRefusal)).error).toMatchObject({ code });
    expect(await wire.ask("tools/list")).toMatchObject(tools);
  });

  test("answers a line of 3 MB, one that ends with CRLF and one that comes byte by byte", async () => {
    const known = await wire.ask("tools/call", { name: "file_read", arguments: { path: "x".repeat(3 * megabyte) } });
    expect(known.error?.data?.code).toBeUndefined();
    expect(await wire.ask("tools/list", {}, "\r\n")).toMatchObject(tools);
    for (const byte of Buffer.from(`${wire.line("tools/list", {}, 7002)}\n`)) await wire.send(Buffer.of(byte));
    expect(await wire.find(({ id }) => id === 7002)).toMatchObject(tools);
  });

  test("answers after a hundred thousand tiny lines", async () => {
    await wire.send("{}\n\n".repeat(50_000));
    expect(await wire.ask("tools/list")).toMatchObject(tools);
  });

  test("ends with its input, whose last line is a half", async () => {
    await wire.send('{"jsonrpc":"2.0","id":1,"meth');
    wire.child.stdin.end();
    expect(await wire.exited).toBe(0);
  });
});

test("ends with its input in the middle of a call that does not end, while nobody reads its answers", async () => {
  const wire = new Wire("2025-11-25", ["--tools", "tools"]);
  await wire.send(`${wire.line(eras["2025-11-25"].open.method, eras["2025-11-25"].open.params)}\n`);
  await wire.send(`${wire.line("tools/call", { name: "endless", arguments: {} })}\n`);
  for (let count = 0; count < 40; count++) await wire.send(`${wire.line("tools/list")}\n`);
  // The first start with a new home takes 16 s of processor time.
  await expect.poll(() => wire.said.err, { timeout: 90_000 }).toMatch(/Tools loaded/);
  wire.child.stdin.end();
  expect(await wire.exited).toBe(0);
});

test("ends with its input while its store does not answer", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as AddressInfo;
  const wire = new Wire("2025-11-25", [], { DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none` });
  wire.listen();
  expect(await wire.open()).toMatchObject({ result: {} });
  wire.child.stdin.end();
  expect(await wire.exited).not.toBeNull();
  silent.close();
});
