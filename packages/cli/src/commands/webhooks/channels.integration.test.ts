import { createHmac } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  agentsCapability,
  agentTools,
  outboundCapability,
  outboundTools,
  roomsCapability,
  roomTools,
  schedulesCapability,
  scheduleTools,
} from "@toolwright/agents";
import { toAISDK } from "@toolwright/doors/ai-sdk";
import { createEngine } from "@toolwright/engine";
import { isSignedWith, webhookKey } from "@toolwright/engine/ports";
import { httpCapability } from "@toolwright/sandbox";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { HooksHere, jobIn, secret, send } from "../../../test/hooks-here.ts";
import { exitCodes } from "../../exit-code.ts";

let here: HooksHere;
beforeAll(async () => {
  here = await HooksHere.open();
}, 120_000);
afterAll(() => here.close());

/** Names of the tools that the model was offered last. */
const offered = () => (here.model.requests.at(-1)?.tools ?? []).map(({ function: { name } }) => name);

const appSecret = "0123456789abcdef0123456789abcdef";
const sendWhatsapp = (to: string, body: string, signedWith = appSecret) =>
  fetch(to, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-hub-signature-256": `sha256=${createHmac("sha256", signedWith).update(body).digest("hex")}`,
    },
  });
type Said = readonly [from: string, text: string];
const ofWhatsapp = (...messages: readonly Said[]) =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: messages.map(([from, body]) => ({
      id: "1",
      changes: [{ field: "messages", value: { messages: [{ from, type: "text", text: { body } }] } }],
    })),
  });
const whatsappMessage = (text: string) => ofWhatsapp(["4915112345678", text]);

async function openWhatsapp(name: string) {
  await here.set("app_secret", appSecret);
  await here.set("access_token", "EAAB-access-token", "--host", here.outsideUrl);
  const options = [
    "--secret",
    "app_secret",
    "--channel",
    "whatsapp",
    "--target",
    `${here.outsideUrl}/v23.0/123`,
    "--credential",
    "access_token",
  ];
  return here.hookOf(name, ...options);
}

describe("the channel of a hook", () => {
  it("sends webhooks that are signed as those which come, until they arrive", async () => {
    const { to } = await here.hookOf("support", "--channel", "webhook", "--target", `${here.outsideUrl}/in`);
    here.answers.push([{ name: "send_outbound_message", input: { text: "On its way." } }], "Answered.");
    here.statuses.push(503);
    here.delivered.length = 0;
    const job = await jobIn(await send('{"ask": 1}', { id: "msg_ask", to }));
    expect((await here.ended(job)).state).toBe("done");
    await vi.waitFor(() => expect(here.delivered).toHaveLength(2), { timeout: 30_000, interval: 100 });
    const [first, second] = here.delivered.map(({ headers, body }) => ({
      id: String(headers["webhook-id"]),
      timestamp: String(headers["webhook-timestamp"]),
      signature: String(headers["webhook-signature"]),
      body,
    }));
    if (!first || !second) throw new Error("Nothing arrived.");
    for (const each of [first, second]) expect(isSignedWith(each, webhookKey(secret) ?? new Uint8Array())).toBe(true);
    expect(second.id).toBe(first.id);
    expect(JSON.parse(second.body.toString())).toEqual({
      type: "message.sent",
      timestamp: expect.any(String),
      data: { text: "On its way." },
    });
    const [delivery] = (await here.jobs()).filter(({ tool }) => tool === "outbound_deliver");
    expect((await here.ended(delivery?.id ?? "")).state).toBe("done");
  });

  it("speaks with WhatsApp: its signature, its question, words and templates, and news that nobody has to answer", async () => {
    const { id, to } = await openWhatsapp("chat");
    const ask = (token: string) => fetch(`${to}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`);
    const asked = await ask(id);
    expect([asked.status, await asked.text(), asked.headers.get("content-type")]).toEqual([200, "1158201444", "text/plain; charset=utf-8"]);
    const { to: silent } = await here.hookOf("silent");
    expect([(await ask("guessed")).status, (await fetch(silent)).status]).toEqual([404, 404]);
    expect((await sendWhatsapp(to, whatsappMessage("Hello"), "another secret of an app")).status).toBe(404);
    expect((await send("{}", { to, signedWith: secret })).status).toBe(404);

    const status = JSON.stringify({ entry: [{ changes: [{ value: { statuses: [{ status: "read" }] } }] }] });
    const news = await sendWhatsapp(to, status);
    expect([news.status, await news.json()]).toEqual([202, {}]);

    const calls = [
      { name: "send_outbound_message", input: { text: "Hello yourself.", to: "4915112345678" } },
      { name: "send_outbound_message", input: { text: "To nobody." } },
      { name: "send_whatsapp_template", input: { to: "4915112345678", template: "reminder", language: "en_US", parameters: ["Monday"] } },
    ];
    here.answers.push(calls, "Answered.");
    here.delivered.length = 0;
    const job = await jobIn(await sendWhatsapp(to, whatsappMessage("Hello")));
    expect((await here.ended(job)).state).toBe("done");
    expect(JSON.stringify(here.model.requests.at(-1)?.messages)).toContain("Say whom the message is to");
    await vi.waitFor(() => expect(here.delivered).toHaveLength(2), { timeout: 30_000, interval: 100 });
    const common = { messaging_product: "whatsapp", recipient_type: "individual", to: "4915112345678" };
    const bodies = here.delivered.map(({ body }) => JSON.parse(body.toString()) as object);
    expect(bodies).toContainEqual({ ...common, type: "text", text: { preview_url: false, body: "Hello yourself." } });
    expect(bodies).toContainEqual({
      ...common,
      type: "template",
      template: {
        name: "reminder",
        language: { code: "en_US" },
        components: [{ type: "body", parameters: [{ type: "text", text: "Monday" }] }],
      },
    });
    for (const { url, headers } of here.delivered)
      expect([url, headers.authorization]).toEqual(["/v23.0/123/messages", "Bearer EAAB-access-token"]);
    expect(await (await sendWhatsapp(to, whatsappMessage("Hello"))).json()).toEqual({ job });
  });

  it("goes on with what the same number of WhatsApp said to the same hook, and with nothing else", async () => {
    const [first, second] = [await openWhatsapp("first"), await openWhatsapp("second")];
    const [ann, bob] = ["4915100000001", "4915100000002"];
    const say = async (to: string, ...messages: readonly Said[]) => {
      const { state, result } = await here.ended(await jobIn(await sendWhatsapp(to, ofWhatsapp(...messages))));
      expect(state).toBe("done");
      const said = (here.model.requests.at(-1)?.messages ?? []).filter(({ role }) => role === "user").map(({ content }) => String(content));
      return { conversation: result?.output?.conversation ?? "", said };
    };
    const hello = await say(first.to, [ann, "Hello from Ann"]);
    const theirs = await say(first.to, [bob, "Hello from Bob"]);
    const again = await say(first.to, [ann, "Where is my order?"]);
    expect(again.conversation).toBe(hello.conversation);
    expect(again.said).toEqual([expect.stringContaining("Hello from Ann"), expect.stringContaining("Where is my order?")]);
    const elsewhere = await say(second.to, [ann, "Hello again"]);
    const both = await say(first.to, [ann, "One"], [bob, "Two"]);
    const conversations = [hello, theirs, elsewhere, both].map(({ conversation }) => conversation);
    expect(new Set(conversations).size).toBe(4);
    for (const { said } of [theirs, elsewhere, both]) expect(said).toHaveLength(1);
    // Two at once, the first ones of a number.
    const [one, other] = await Promise.all([say(first.to, ["4915100000003", "One"]), say(first.to, ["4915100000003", "Two"])]);
    expect(one.conversation).toBe(other.conversation);
    // A conversation tells nobody the number, and no person speaks in one of a hook.
    const sessions = JSON.stringify(await (await fetch(`${here.served.url}/api/sessions?kind=webhook`)).json());
    expect(sessions).toContain(hello.conversation);
    expect(sessions).not.toMatch(/49151\d+/);
    const { code, err } = await here.type(["chat", "assistant", "Hello", "--conversation", hello.conversation]);
    expect(`${code} ${err}`).toMatch(/^[^0].* is no conversation with assistant/s);
  });

  it.each([
    ["what its target refuses", "strict", 400, "The channel answered 400"],
    ["what may have arrived", "lossy", 0, "It may have arrived"],
  ])("does not send again %s", async (_, name, status, words) => {
    const { to } = await openWhatsapp(name);
    here.answers.push([{ name: "send_outbound_message", input: { text: "Hi.", to: "1" } }], "Answered.");
    here.statuses.push(status);
    here.delivered.length = 0;
    await here.ended(await jobIn(await sendWhatsapp(to, whatsappMessage(name))));
    const [delivery] = (await here.jobs()).filter(({ tool }) => tool === "outbound_deliver");
    const failed = await here.ended(delivery?.id ?? "");
    expect(failed.state).toBe("failed");
    expect(JSON.stringify(failed)).toContain(words);
    expect(here.delivered).toHaveLength(1);
  });

  it.each([
    [
      "a channel that there is not",
      ["--secret", "orders_hook", "--channel", "fax"],
      /There is no channel "fax". Use log, webhook, whatsapp/,
    ],
    ["a channel that sends without a target", ["--secret", "orders_hook", "--channel", "webhook"], /name the URL/],
    ["a target of one that does not", ["--secret", "orders_hook", "--target", "https://example.org"], /sends nothing/],
    ["a target that is no address", ["--secret", "orders_hook", "--channel", "webhook", "--target", "file:///etc"], /name the URL/],
    ["a secret of another form", ["--secret", "app_secret", "--channel", "webhook", "--target", "https://example.org"], /whsec_/],
  ])("is refused for %s", async (_, options, words) => {
    await here.set("app_secret", "not base64, and no key");
    const { code, err } = await here.type(["hooks", "add", "x", "--agent", "assistant", ...options]);
    expect(err).toMatch(words);
    expect(code).toBe(exitCodes.usage);
  });
});

describe("tools of one runtime", () => {
  const all = [...agentTools, ...scheduleTools, ...roomTools, ...outboundTools];
  const harnessed = new Set(all.filter(({ visibility }) => visibility?.harness !== undefined).map(({ name }) => name));
  const ofTurns = ["delegate", "task_spawn", "task_status"];
  const inTurn = async (begin: () => Promise<unknown>) => {
    const before = here.model.requests.length;
    await begin();
    await vi.waitFor(() => expect(here.model.requests.length).toBeGreaterThan(before), { timeout: 30_000, interval: 50 });
    return offered();
  };
  const overMcp = async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${here.served.url}/mcp`)));
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  };
  const overRest = async () => {
    const { items } = (await (await fetch(`${here.served.url}/api/tools`)).json()) as { items: readonly { name: string }[] };
    return items.map(({ name }) => name);
  };
  const overAISDK = async () => {
    const never = () => {
      throw new Error("Nothing is called.");
    };
    const capabilities = [
      agentsCapability(never),
      schedulesCapability(never),
      roomsCapability(never),
      outboundCapability(never, httpCapability()),
    ];
    const engine = createEngine({ tools: all, capabilities });
    const person = { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: ["agents:run"], door: "ai-sdk" } as const;
    return Object.keys(toAISDK(engine.scope(person)).tools);
  };
  const chat = () => here.served.run("chat", "assistant", "Hello");
  const hook = async (name: string, ...options: string[]) => {
    const { to } = await here.hookOf(name, ...options);
    return send("{}", { to, id: `msg_${name}` });
  };
  const workInRoom = async () => {
    const { id } = JSON.parse(await here.served.run("rooms", "create", "Orders", "--agent", "assistant", "--json")) as { id: string };
    await here.served.run("rooms", "post", id, "An order came.");
  };
  const spawnFrom = async () => {
    here.answers.push([{ name: "task_spawn", input: { task: "Look." } }], "Looked.", "Done.");
    const { to } = await here.hookOf("spawns");
    const job = await jobIn(await send("{}", { to, id: "msg_spawns" }));
    await here.ended(job);
    // The sub-agent's request is the one in the middle.
    return (here.model.requests.at(-2)?.tools ?? []).map(({ function: { name } }) => name);
  };

  it.each<readonly [runtime: string, names: () => Promise<readonly string[]>, has: readonly string[]]>([
    ["a form and a caller of REST", overRest, []],
    ["a client of MCP", overMcp, []],
    ["a loop on the AI SDK", overAISDK, []],
    ["a shell", async () => (JSON.parse(await here.served.run("list", "--json")) as { name: string }[]).map(({ name }) => name), []],
    ["a chat", () => inTurn(chat), ofTurns],
    ["a hook that sends nothing", () => inTurn(() => hook("quiet")), [...ofTurns, "send_outbound_message"]],
    [
      "a hook that sends webhooks",
      () => inTurn(() => hook("sends", "--channel", "webhook", "--target", here.outsideUrl)),
      [...ofTurns, "send_outbound_message"],
    ],
    [
      "a hook of WhatsApp",
      () => inTurn(async () => sendWhatsapp((await openWhatsapp("templates")).to, whatsappMessage("Which?"))),
      [...ofTurns, "send_outbound_message", "send_whatsapp_template"],
    ],
    ["a sub-agent of a hook", spawnFrom, []],
    // Last: an event that nobody completes is taken up again.
    ["a room", () => inTurn(workInRoom), [...ofTurns, "room_compact_history", "room_event_complete", "room_send_to_human"]],
  ])("are those of %s", async (_, names, has) => {
    const found = await names();
    expect(found).toContain("schedule_add");
    expect(found.filter((name) => harnessed.has(name)).toSorted()).toEqual(has.toSorted());
  });
});
