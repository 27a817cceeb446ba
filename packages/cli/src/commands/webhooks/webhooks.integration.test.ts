import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HooksHere, jobIn, secret, send as sendTo } from "../../../test/hooks-here.ts";
import { exitCodes } from "../../exit-code.ts";

const another = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const addOrders = ["hooks", "add", "orders", "--agent", "assistant", "--secret", "orders_hook"];

let here: HooksHere;
/** Address of the hook. */
let address: string;
beforeAll(async () => {
  here = await HooksHere.open();
  await here.type(["secrets", "set", "orders_hook", "--tenant", "other"], another);
  address = `${here.served.url}${await here.served.run(...addOrders)}`;
}, 120_000);
afterAll(() => here.close());

const send = (body: Parameters<typeof sendTo>[0], sending: Partial<Parameters<typeof sendTo>[1]> = {}) =>
  sendTo(body, { to: address, ...sending });

describe("a hook", () => {
  it("takes what its secret signed before the agent answers, which has nobody to ask", async () => {
    let hold = () => {};
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    here.answers.push(async (outgoing) => {
      await held;
      outgoing.writeHead(500).end();
    });
    here.answers.push([{ name: "exec", input: { command: "git push" } }], "Could not push.");
    const answer = await send('{"order": 7}', { id: "msg_first" });
    expect(answer.status).toBe(202);
    const job = await jobIn(answer);
    hold();
    const { state, principal, result } = await here.ended(job);
    expect({ state, text: result?.output?.text }).toEqual({ state: "done", text: "Could not push." });
    expect(principal).toMatchObject({
      actor: { kind: "service", id: `hook:${address.split("/").at(-1)}` },
      unattended: true,
      runtime: "webhook",
    });
    const { messages = [] } = here.model.requests.at(-1) ?? {};
    expect(messages.find(({ role }) => role === "user")?.content).toMatch(
      /^The hook "orders" .*from outside.*--- \w+ begins ---\n\{"order": 7\}\n---/s,
    );
    expect(messages.at(-1)).toMatchObject({ role: "tool", content: expect.stringMatching(/^Denied: .*Nobody is there to be asked/s) });
  });

  it("answers a webhook that comes again with the job that there is", async () => {
    const first = await (await send('{"order": 8}', { id: "msg_again" })).json();
    const before = (await here.jobs()).length;
    const again = await send('{"order": 8}', { id: "msg_again", age: 30 });
    expect([again.status, await again.json()]).toEqual([202, first]);
    const other = await send('{"order": 9}', { id: "msg_again" });
    expect([other.status, await other.json()]).toMatchObject([409, { code: "job_refused" }]);
    expect(await here.jobs()).toHaveLength(before);
  });

  it("answers what its secret did not sign as a hook that there is not", async () => {
    const before = (await here.jobs()).length;
    const unknown = await send("{}", { to: `${here.served.url}/api/hooks/hook_missing` });
    const words = await unknown.text();
    expect(unknown.status).toBe(404);
    for (const forged of [
      { signedWith: another },
      { signature: "" },
      { signature: "v1,Zm9yZ2Vk" },
      { id: "" },
      { age: 400, signedWith: another },
      { to: `${address}x` },
    ]) {
      const answer = await send("{}", forged);
      expect([answer.status, await answer.text()], JSON.stringify(forged)).toEqual([404, words]);
    }
    const bare = await fetch(address, { method: "POST", body: "{}" });
    expect([bare.status, await bare.text()]).toEqual([404, words]);
    expect(await here.jobs()).toHaveLength(before);
    expect(here.served.said()).toContain("is not signed with the secret orders_hook");
    expect(`${here.served.said()}${words}`).not.toContain(secret.slice(6));
  });

  it.each([
    ["one that was signed six minutes ago", { body: "{}", age: 360 }, /^400 .*five minutes/],
    ["one of a clock that is six minutes ahead", { body: "{}", age: -360 }, /^400 .*five minutes/],
    ["one that names no time", { body: "{}", timestamp: "now" }, /^400 .*five minutes/],
    ["what is no JSON", { body: "order 7" }, /^400 .*not valid JSON/],
    ["what is no text", { body: Uint8Array.of(0x22, 0xff, 0x22) }, /^400 .*not valid UTF-8/],
    ["what is nested too deep", { body: "[".repeat(100) + "]".repeat(100) }, /^4\d\d .*64/],
    ["an empty body", { body: "" }, /^400 .*not valid JSON/],
    ["a body of more than 1 MB", { body: JSON.stringify("x".repeat(1_000_000)) }, /^413 .*larger than 1000000 bytes/],
  ])("refuses %s, and says why", async (_, { body, ...sending }, words) => {
    const before = (await here.jobs()).length;
    const answer = await send(body, { id: "msg_refused", ...sending });
    expect(`${answer.status} ${await answer.text()}`).toMatch(words);
    expect(await here.jobs()).toHaveLength(before);
  });

  it("of another tenant is signed with that one's secret, and works there alone", async () => {
    const made = await here.served.run(...addOrders, "--tenant", "other", "--json");
    const to = `${here.served.url}/api/hooks/${(JSON.parse(made) as { id: string }).id}`;
    const before = (await here.jobs()).length;
    expect((await send("{}", { id: "msg_theirs", to })).status).toBe(404);
    const { job } = (await (await send("{}", { id: "msg_theirs", to, signedWith: another })).json()) as { job: string };
    expect(await here.jobs()).toHaveLength(before);
    expect(await here.served.run("jobs", "list", "--tenant", "other")).toContain(job);
    await here.served.run("hooks", "remove", "orders", "--tenant", "other");
  });

  it("takes as much as fits", async () => {
    const answer = await send(JSON.stringify("x".repeat(999_998)), { id: "msg_large" });
    expect(answer.status).toBe(202);
    expect((await here.ended(await jobIn(answer))).state).toBe("done");
  });

  it("serves other methods to those who are known", async () => {
    for (const method of ["PUT", "PATCH"]) expect((await fetch(address, { method })).status).toBe(405);
  });

  it("is gone when it is removed, and takes nothing without its secret", async () => {
    const made = await here.served.run("hooks", "add", "alerts", "--agent", "assistant", "--secret", "orders_hook", "--json");
    const { id } = JSON.parse(made) as { id: string };
    const to = `${here.served.url}/api/hooks/${id}`;
    expect((await send("{}", { id: "msg_alert", to })).status).toBe(202);
    await here.served.run("hooks", "remove", "alerts");
    expect((await send("{}", { id: "msg_alert_2", to })).status).toBe(404);
    await here.served.run("secrets", "remove", "orders_hook");
    expect((await send("{}", { id: "msg_unset" })).status).toBe(404);
    await here.set("orders_hook", secret);
  });
});

describe("toolwright hooks", () => {
  it("lists them with who made them, here and through the server", async () => {
    const listed = await here.served.run("hooks", "list");
    expect(listed).toMatch(/orders +assistant +log +orders_hook +\S+ +\/api\/hooks\/hook_/);
    expect(await here.served.run("hooks", "list", "--tenant", "other")).toContain("There are no hooks");
  });

  it.each([
    ["a name that is taken", addOrders, /There is a hook "orders" already/],
    ["a secret that there is not", ["hooks", "add", "x", "--agent", "assistant", "--secret", "nothing"], /There is no secret "nothing"/],
    ["a secret that nobody can sign with", ["hooks", "add", "x", "--agent", "assistant", "--secret", "weak"], /whsec_ and base64/],
    ["a name that is none", ["hooks", "add", "No name", "--agent", "assistant", "--secret", "orders_hook"], /name/],
    ["a hook that there is not", ["hooks", "remove", "nothing"], /There is no hook "nothing"/],
    ["a hook of another tenant", ["hooks", "remove", "orders", "--tenant", "other"], /There is no hook "orders"/],
  ])("refuses %s", async (_, argv, words) => {
    await here.set("weak", "whsec_c2hvcnQ=");
    const { code, err } = await here.type(argv);
    expect(err).toMatch(words);
    expect(code).toBe(exitCodes.usage);
  });
});
