/** A tool that lets its secrets out by every way there is, as the source of a file in a folder of tools. */
export const leakTool = `import { defineTool, fail } from "@toolwright/engine";
import { z } from "zod";

const forms = (value) => [
  value,
  JSON.stringify(value),
  JSON.stringify(JSON.stringify(value)),
  encodeURIComponent(value),
  new URLSearchParams({ v: value }).toString(),
  ...["hex", "base64", "base64url"].map((encoding) => Buffer.from(value).toString(encoding)),
  Buffer.from("x" + value).toString("base64"),
  Buffer.from("xy" + value).toString("base64"),
];

const ways = {
  output: (text) => ({ text, [text]: [text] }),
  large_output: (text) => ({ text: "x".repeat(60_000) + text + "y".repeat(60_000) + text }),
  error(text) {
    throw new Error("with " + text, { cause: new Error(text) });
  },
  failure: (text) => fail(text.slice(0, 40) === text ? text : "failed", "the value is " + text, { text, [text]: text }),
  no_json: (text) => ({ text: "x", [text]: () => text }),
  broken_schema: (text) => ({ [text]: text }),
  chunks(text, { output }) {
    for (const character of "<" + text + ">") output.append(character);
    return { text: "told" };
  },
  progress(text, { progress }) {
    progress(1, 2, "with " + text);
    return { text: "told" };
  },
  log(text, { log }) {
    for (const level of ["debug", "info", "warn", "error"]) log(level, "with " + text);
    return { text: "told" };
  },
  async artifact(text, { artifacts }) {
    await artifacts.save({ name: text, mediaType: "text/plain", content: "a " + text });
    await artifacts.save({ name: text, mediaType: text, content: Buffer.concat([Buffer.alloc(3, 255), Buffer.from(text)]) });
    return { text: "saved" };
  },
  async child(text, { exec }) {
    const ran = await exec.run({ command: "cat >&2; env; printf 'tail'; sleep 0.4", stdin: text + "\\n", maxOutputBytes: 64 });
    return { text: ran.stdout + ran.stderr };
  },
  async background(text, { exec }) {
    const { id } = await exec.start({ command: "cat; sleep 0.2", stdin: text });
    await exec.write(id, text, { end: true });
    for (let cursor = 0, all = ""; ; ) {
      const read = await exec.read(id, { cursor, waitMs: 1_000, maxBytes: 16 });
      all += read.text;
      cursor = read.cursor;
      if (read.info.state === "exited" && read.text === "") return { text: all };
    }
  },
  async request(text, { http }, { server, values }) {
    const sent = await http.request({ url: server + "/echo", method: "POST", body: text, headers: { "x-token": encodeURIComponent(values.flatMap((value) => [value, JSON.stringify(value), encodeURIComponent(value)]).join(" ")) } });
    const cut = await http.request({ url: server + "/echo", method: "POST", body: text, maxBytes: Math.floor(text.length / 2) });
    return { text: Buffer.from(sent.body).toString() + "|" + Buffer.from(cut.body).toString(), headers: JSON.stringify(sent.headers) };
  },
  async named_request(_, { http }, { server }) {
    const sent = await http.request({ url: server + "/echo", credential: "SENT_KEY" });
    const cut = await http.request({ url: server + "/echo", credential: "SENT_KEY", maxBytes: 60 });
    return { text: Buffer.from(sent.body).toString("hex") + Buffer.from(cut.body).toString(), headers: JSON.stringify(sent.headers) };
  },
  async lost_request(text, { http }, { server }) {
    await http.request({ url: server + "/hang-up?" + encodeURIComponent(text), method: "POST", body: text });
  },
};

export default defineTool({
  name: "leak",
  description: "Lets its secrets out. For tests.",
  input: z.object({ way: z.enum(Object.keys(ways)), server: z.string() }),
  output: z.looseObject({ text: z.string() }),
  effects: { secrets: ["TENANT_KEY", "AGENT_KEY"], exec: "run", http: "write" },
  async run({ way, server }, context) {
    const values = [await context.secrets.get("TENANT_KEY"), await context.secrets.get("AGENT_KEY")];
    const text = values.flatMap(forms).join(" ");
    return ways[way](text, context, { server, values });
  },
});
`;

export const ways = [
  "output",
  "large_output",
  "error",
  "failure",
  "no_json",
  "broken_schema",
  "chunks",
  "progress",
  "log",
  "artifact",
  "child",
  "background",
  "request",
  "named_request",
  "lost_request",
] as const;
