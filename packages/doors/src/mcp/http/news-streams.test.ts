import { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server";
import type { Principal } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ann, greet, modernRequest, openDoor, send } from "../../../test/mcp-client.ts";

const principals = new Map<string, Principal>();
let asked = 0;
const authentication = {
  open: false,
  authenticate(token = "") {
    asked++;
    const known = principals.get(token);
    if (token.startsWith("twa_") && !known) throw new OAuthError(OAuthErrorCode.InvalidToken, "The token is unknown, expired or revoked.");
    return known;
  },
};

let opened: ReturnType<typeof openDoor>;
beforeEach(() => {
  principals.clear();
  for (const token of ["ann", "bob", "twa_ann"]) principals.set(token, { ...ann, actor: { kind: "user", id: token } });
  // A tenant has 4 of these, and one of its callers 1.
  opened = openDoor({ door: { authentication, maxSessions: 16 } });
});
afterEach(async () => {
  await opened.door.close();
  await opened.engine.close();
});

const listen = (token: string) =>
  opened.door.fetch(
    modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } }, { headers: { authorization: `Bearer ${token}` } }),
  );

/** The stream of a session of 2025. */
async function listenInSession(token: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const initialized = await opened.door.fetch(send({ method: "POST", headers, body }));
  if (initialized.status !== 200) return initialized;
  await initialized.text();
  const id = initialized.headers.get("mcp-session-id") ?? "";
  return opened.door.fetch(send({ method: "GET", headers: { ...headers, "mcp-session-id": id } }));
}

/** All that comes of a stream, as it comes. */
function follow(response: Response) {
  const heard = { text: "", ended: false };
  void response.body?.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write(text) {
        heard.text += text;
      },
      close() {
        heard.ended = true;
      },
    }),
  );
  return heard;
}

const changed = /tools\/list_changed/;

describe.each([
  ["subscriptions/listen of 2026", listen],
  ["the stream of a session of 2025", listenInSession],
])("%s", (_, listenAs) => {
  it.each(["ann", "twa_ann"])("ends within half a minute after what opened it was revoked: %s", async (token) => {
    const stream = follow(await listenAs(token));
    await opened.clock.advance(60_000);
    principals.delete(token);
    await opened.clock.advance(30_000);
    expect(stream.ended).toBe(true);
    opened.engine.register([greet]);
    await opened.clock.advance(1);
    expect(stream.text).not.toMatch(changed);
  });

  it("goes on for everybody else", async () => {
    const stream = follow(await listenAs("bob"));
    principals.delete("ann");
    await opened.clock.advance(600_000);
    opened.engine.register([greet]);
    await opened.clock.advance(1);
    expect(stream).toMatchObject({ ended: false, text: expect.stringMatching(changed) });
  });

  it("is asked about no more once its client has left", async () => {
    const stream = await listenAs("ann");
    const before = asked;
    await opened.clock.advance(30_000);
    await stream.body?.cancel();
    expect(asked).toBe(before + 1);
    await opened.clock.advance(600_000);
    expect(asked).toBe(before + 1);
  });

  it("is one of those that a caller may have, and takes none of another's", async () => {
    const first = follow(await listenAs("ann"));
    const second = await listenAs("ann");
    expect([second.status, await second.text()]).toEqual([429, expect.stringMatching(/as many .* as one person may have/)]);
    expect((await listenAs("bob")).headers.get("content-type")).toBe("text/event-stream");
    expect(first.ended).toBe(false);
  });
});
