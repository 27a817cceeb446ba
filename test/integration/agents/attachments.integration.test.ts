import { type Attachment, defineTool } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ScriptedAnswerTo, sendJson } from "../../../examples/scripted-server.ts";
import { ann, outputOf, personAt, World } from "./agents-world.ts";
import { chat, converse, messages, responses, type Wire } from "./wires.ts";

const run = { agent: "assistant", message: "Read these." };

let close = async () => {};
afterEach(() => close());

async function open<Request>(wire: Wire<Request>, script: readonly ScriptedAnswerTo<Request>[]) {
  const world = await World.openWith(wire, script);
  close = () => world.close();
  return world;
}

const file = (name: string, content: string | Buffer, mediaType = "application/octet-stream"): Attachment => ({
  ...{ name, mediaType },
  bytes: async () => Buffer.from(content),
});
const base64 = (bytes: Buffer) => bytes.toString("base64");
const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(64, 7)]);
const pdf = Buffer.from(`%PDF-1.7\n${"page ".repeat(20)}`);
const wav = Buffer.concat([Buffer.from("RIFF"), Buffer.alloc(4, 9), Buffer.from("WAVE"), Buffer.alloc(52, 9)]);
const mp3 = Buffer.concat([Buffer.from("ID3\x04\0", "latin1"), Buffer.alloc(59, 9)]);
const ogg = Buffer.concat([Buffer.from("OggS\0", "latin1"), Buffer.alloc(60, 255)]);
const files = [
  file("a\n[b].png", png),
  file("report.pdf", pdf),
  file("notes.txt", "Zoë.", "text/plain"),
  file("x.zip", Buffer.from([80, 75, 3, 4, 0, 255])),
];
const stored = async (world: World<never>) => {
  const [turn] = await world.turns.list("acme", {});
  return world.turns.messages({ tenant: "acme", conversation: turn?.conversation ?? "" });
};
const refusal = { status: 400, body: { error: { message: "The image cannot be processed.", type: "invalid_request_error" } } };

function describeWire<Request>(wire: Wire<Request>, takesPdf: boolean): void {
  describe(`attachments over ${wire.name}`, () => {
    it("are files where the model takes them, marked text, or a line, and the same bytes in each request", async () => {
      const world = await open(wire, ["Read.", "Again."]);
      const { conversation } = outputOf(await personAt(world.start()).invokeNamed("agent_run", run, { attachments: files }));
      await personAt(world.start()).invokeNamed("agent_run", { ...run, message: "And?", conversation });
      const [first, second] = world.model.requests.map((request) => wire.prefixOf(request).map((part) => JSON.stringify(part)));
      expect(second?.slice(0, first?.length)).toEqual(first);
      const said = first?.join("\n") ?? "";
      expect(said).toContain(base64(png));
      expect(said.includes(base64(pdf))).toBe(takesPdf);
      expect(/Attachment report\.pdf: application\/pdf, 109 bytes, artifact art_[\w-]+\. Its content is not shown to you/.test(said)).toBe(
        !takesPdf,
      );
      expect(said).toMatch(/\[Attachment notes\.txt: text\/plain, 5 bytes, artifact art_[\w-]+\]\\nZoë\.\\n\[End of notes\.txt\]/);
      expect(said).toMatch(/\[Attachment x\.zip: application\/octet-stream, 6 bytes, artifact art_[\w-]+\. Its content is not shown/);
      const kept = JSON.stringify(await stored(world as never));
      expect(kept).toMatch(/"data":"artifact:art_[\w-]+","filename":"notes\.txt","mediaType":"text\/plain"/);
      expect(kept).not.toContain(base64(png));
    });

    it("that the model refuses are named in their place, and the conversation goes on", async () => {
      const world = await open(wire, [(outgoing) => sendJson(outgoing, refusal), "Named.", "On."]);
      const engine = world.start();
      const output = outputOf(await personAt(engine).invokeNamed("agent_run", run, { attachments: files.slice(0, 1) }));
      expect(output.text).toBe("Named.");
      expect(JSON.stringify(world.model.requests.at(-1))).toMatch(
        /\[Attachment a b \.png: image\/png, 72 bytes, artifact art_[\w-]+\. Its content/,
      );
      expect(world.log.map(({ message }) => message)).toContain("A model refused a request with attachments; it is asked without them.");
    });
  });
}

const blob = (bytes: Buffer, mimeType: string) => ({ data: base64(bytes), mimeType });
const none = z.object({});
const seen = z.object({ seen: z.string() });
const about = { input: none, output: seen, effects: {} };
/** Tools whose results have files beside their words. */
const eyes = [
  defineTool({
    ...{ ...about, name: "picture", description: "Looks." },
    async run(_, { show, artifacts }) {
      const { id } = await artifacts.save({ name: "a.png", mediaType: "image/png", content: png });
      show({ type: "image", ...blob(png, "image/png") });
      return { seen: id };
    },
  }),
  defineTool({
    ...{ ...about, name: "misnamed", description: "Looks." },
    run(_, { show }) {
      show({ type: "image", ...blob(jpeg, "image/png") });
      return { seen: "misnamed" };
    },
  }),
  defineTool({
    ...{ ...about, name: "sound", description: "Hears." },
    async run(_, { show, artifacts }) {
      const { id } = await artifacts.save({ name: "a.wav", mediaType: "audio/wav", content: wav });
      show({ type: "audio", ...blob(wav, "audio/wav") });
      return { seen: id };
    },
  }),
];
const jpeg = Buffer.concat([Buffer.from("ffd8ffe0", "hex"), Buffer.alloc(64, 3)]);
const use = (name: string) => ({ name, input: {} });

interface ResultWire<Request> {
  readonly wire: Wire<Request>;
  readonly takesSound?: boolean;
  /** The last request, with each picture as `<picture>`. */
  readonly expected: RegExp;
}

function describeResults<Request>({ wire, takesSound = false, expected }: ResultWire<Request>): void {
  describe(`pictures in results over ${wire.name}`, () => {
    it("are parts in the place that its wire has for them, and never text; a line stands for what the model does not take", async () => {
      const world = await open(wire, [[use("picture"), use("misnamed"), use("sound")], "Seen.", "Again."]);
      const person = personAt(world.start({ tools: eyes }));
      const { conversation, text } = outputOf(await person.invokeNamed("agent_run", run));
      expect(text).toBe("Seen.");
      outputOf(await person.invokeNamed("agent_run", { ...run, conversation }));
      const [, second, third] = world.model.requests.map((request) => wire.prefixOf(request).map((part) => JSON.stringify(part)));
      expect(third?.slice(0, second?.length)).toEqual(second);
      const said = (second ?? []).join("\n");
      for (const bytes of [png, jpeg]) expect(said.split(base64(bytes))).toHaveLength(2);
      expect(said.split(base64(wav))).toHaveLength(takesSound ? 2 : 1);
      expect(said).toMatch(expected);
      const follows = takesSound ? "It follows the results, as file 3" : "Its content is not shown to you: the model does not take audio";
      expect(said).toMatch(new RegExp(`\\[File of this result: audio/wav, 64 bytes, artifact art_[\\w-]+\\. ${follows}\\.\\]`));
    });

    it("that the model refuses are named in their place, and the conversation goes on", async () => {
      const world = await open(wire, [[use("picture")], (outgoing) => sendJson(outgoing, refusal), "Named.", "On."]);
      const engine = world.start({ tools: eyes });
      const output = outputOf(await personAt(engine).invokeNamed("agent_run", run));
      expect(output.text).toBe("Named.");
      const last = JSON.stringify(world.model.requests.at(-1));
      expect(last).toMatch(/\[File of this result: image\/png, 72 bytes, artifact art_[\w-]+\. Its content is not shown/);
      expect(last).not.toContain(base64(png));
    });
  });
}

const [seenPng, seenJpeg] = [png, jpeg].map((bytes) => base64(bytes).replace(/[+/]/g, "\\$&"));
describeResults({
  wire: chat,
  takesSound: true,
  expected: new RegExp(
    `"role":"tool".*follows the results, as file 1.*"role":"tool".*as file 2.*"role":"tool".*\n.*"role":"user".*data:image/png;base64,${seenPng}.*data:image/jpeg;base64,${seenJpeg}`,
    "s",
  ),
});
describeResults({
  wire: responses,
  expected: new RegExp(
    `function_call_output.*"input_image","image_url":"data:image/png;base64,${seenPng}.*data:image/jpeg;base64,${seenJpeg}`,
    "s",
  ),
});
describeResults({
  wire: messages,
  expected: new RegExp(
    `"tool_result".*"media_type":"image/png","data":"${seenPng}.*"tool_result".*"media_type":"image/jpeg","data":"${seenJpeg}`,
    "s",
  ),
});
describeResults({
  wire: converse,
  expected: new RegExp(
    `"toolResult".*"format":"png","source":\\{"bytes":"${seenPng}.*"toolResult".*"format":"jpeg","source":\\{"bytes":"${seenJpeg}`,
    "s",
  ),
});

describeWire(chat, false);
describeWire(responses, true);
describeWire(messages, true);
describeWire(converse, true);

/** A recording by its first bytes, whatever its name says. */
const sounds = [file("a.wav", wav, "audio/x-wav"), file("b.bin", mp3), file("c.mp3", ogg, "audio/ogg")];

function describeSound<Request>(wire: Wire<Request>): void {
  it(`sound over ${wire.name} is a line that says that the model does not take audio`, async () => {
    const world = await open(wire, ["Heard."]);
    outputOf(await personAt(world.start()).invokeNamed("agent_run", run, { attachments: sounds }));
    const said = JSON.stringify(world.model.requests.at(-1));
    for (const bytes of [wav, mp3, ogg]) expect(said).not.toContain(base64(bytes));
    for (const what of ["a\\.wav: audio/wav, 64 bytes", "b\\.bin: audio/mpeg, 64 bytes", "c\\.mp3: audio/ogg, 65 bytes"])
      expect(said).toMatch(
        new RegExp(`Attachment ${what}, artifact art_[\\w-]+\\. Its content is not shown to you: the model does not take audio\\.`),
      );
  });
}
describeSound(responses);
describeSound(messages);
describeSound(converse);

describe("sound over Chat Completions", () => {
  it("is a part where the wire has a name for its kind, by its first bytes, and a line otherwise", async () => {
    const world = await open(chat, ["Heard."]);
    outputOf(await personAt(world.start()).invokeNamed("agent_run", run, { attachments: sounds }));
    const content = JSON.stringify(world.model.requests.at(-1)?.messages.at(-1)?.content);
    for (const [format, bytes] of [["wav", wav] as const, ["mp3", mp3] as const])
      expect(content).toContain(JSON.stringify({ type: "input_audio", input_audio: { data: base64(bytes), format } }));
    expect(content).not.toContain(base64(ogg));
    expect(content).toMatch(
      /c\.mp3: audio\/ogg, 65 bytes, artifact art_[\w-]+\. Its content is not shown to you: the model does not take it\./,
    );
  });

  it("that the model behind a server has no ears for is named in its place, also where the server answers 500", async () => {
    const deaf = { status: 500, body: { error: { code: 500, message: "audio input is not supported - hint: provide the mmproj" } } };
    const world = await open(chat, [(outgoing) => sendJson(outgoing, deaf), "Named."]);
    const output = outputOf(await personAt(world.start()).invokeNamed("agent_run", run, { attachments: sounds.slice(0, 1) }));
    expect(output.text).toBe("Named.");
    expect(JSON.stringify(world.model.requests.at(-1))).toMatch(/Attachment a\.wav: audio\/wav, 64 bytes, artifact art_/);
  });
});

describe("an attachment", () => {
  it.each<[string, { readonly files?: readonly Attachment[]; readonly attachments?: readonly string[] }, string, RegExp]>([
    [
      "of 20 MB",
      { files: [file("big.bin", Buffer.alloc(20_000_000))] },
      "file_too_large",
      /"big\.bin" has 20,000,000 bytes and one may have 10,000,000/,
    ],
    [
      "that cannot be read",
      { files: [{ ...file("gone.txt", ""), bytes: () => Promise.reject(new Error("EIO")) }] },
      "invalid_input",
      /"gone\.txt" cannot be read, so nothing was sent/,
    ],
    ["that there is not", { attachments: ["art_nobody"] }, "artifact_not_found", /art_nobody/],
    [
      "too many",
      { files: Array.from({ length: 11 }, () => file("a.txt", "a")) },
      "invalid_input",
      /has 11 attachments; one has at most 10/,
    ],
  ])("%s is refused with a code and a sentence, and nothing is sent", async (_what, { files: given = [], attachments }, code, words) => {
    const world = await open(chat, []);
    const engine = world.start();
    const result = await personAt(engine).invokeNamed("agent_run", { ...run, attachments }, { attachments: given });
    expect(result).toMatchObject({ status: "failed", error: { code, message: expect.stringMatching(words) }, artifacts: [] });
    expect(await world.turns.list("acme", {})).toEqual([]);
    expect(await engine.operate(ann, "sessions.list", { kind: "chat" })).toMatchObject({ items: [] });
    expect(world.model.requests).toEqual([]);
  });

  it("goes with a message by its id, too, and a long text is cut in sight", async () => {
    const world = await open(chat, ["One.", "Two."]);
    const person = personAt(world.start());
    const first = await person.invokeNamed("agent_run", run, { attachments: [file("long.txt", "x".repeat(100_001))] });
    const [{ id = "" } = {}] = first.artifacts;
    expect(outputOf(await person.invokeNamed("agent_run", { agent: "assistant", message: "", attachments: [id] })).text).toBe("Two.");
    const content = JSON.stringify(world.model.requests.at(-1)?.messages.at(-1)?.content);
    expect(content).toContain(`artifact ${id}. These are the first 100000 of 100001 characters; artifact_read reads all of it]`);
  });
});
