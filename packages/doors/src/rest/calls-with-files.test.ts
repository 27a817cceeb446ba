import { describe, expect, it } from "vitest";
import { openRest } from "../../test/rest-client.ts";

const json = async (response: Response) => (await response.json()) as Record<string, never>;

describe("a call over REST with files", () => {
  it("takes attachments beside its input", async () => {
    const body = new FormData();
    body.set("input", "{}");
    body.append("report", new File(["a,b\n1,2\n"], "report.csv", { type: "text/csv" }));
    const response = await openRest().ask("POST", "/api/tools/measure/call", { body });
    expect(await json(response)).toMatchObject({ output: { files: [{ name: "report.csv", mediaType: "text/csv", size: 8 }] } });
  });

  it.each([
    ["one too many", 1_000, { code: "request_too_large", detail: expect.stringContaining("more than 1000 parts") }],
    ["as many parts as may be", 999, { status: "done" }],
  ])("is refused before its body is parsed where that has too many parts: %s", async (_name, count, expected) => {
    const body = new FormData();
    body.set("input", "{}");
    for (let at = 0; at < count; at += 1) body.append(`f${at}`, new File([], "empty.txt"));
    expect(await json(await openRest().ask("POST", "/api/tools/measure/call", { body }))).toMatchObject(expected);
  });

  it("that came with files and waits runs when it is repeated with them after the answer, and not without them", async () => {
    const { ask } = openRest({ engine: { policy: { version: 1, autonomy: "full", tools: { ask: ["measure"] } } } });
    const send = (headers = {}) => {
      const body = new FormData();
      body.append("report", new File(["a,b\n1,2\n"], "report.csv", { type: "text/csv" }));
      return ask("POST", "/api/tools/measure/call", { body, headers });
    };
    const asked = await send();
    const place = asked.headers.get("location") ?? "";
    const kept = "The files that came with this call are not kept while it waits. Once it is approved, make it again with the same files";
    expect(await json(asked)).toMatchObject({ notes: [`${kept}.`] });
    expect(await json(await send({ "idempotency-key": "k1" }))).toMatchObject({ approval: { id: place.split("/").at(-1) } });
    await ask("POST", `${place}/answer`, { body: JSON.stringify({ outcome: { kind: "approve" } }) });
    expect(await json(await ask("POST", `${place}/run`))).toMatchObject({
      code: "approval_void",
      detail: expect.stringContaining(
        "The approval stays for the same call with the same files and, where it had one, the same idempotency key.",
      ),
    });
    expect(await json(await send())).toMatchObject({ status: "done", output: { files: [{ size: 8 }] } });
    expect(await json(await send({ "idempotency-key": "k2" }))).toMatchObject({ notes: [`${kept} and the same idempotency key.`] });
  });
});
