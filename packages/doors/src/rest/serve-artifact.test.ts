import { describe, expect, it } from "vitest";
import { keep, openRest } from "../../test/rest-client.ts";

const json = async (response: Response) => (await response.json()) as Record<string, never>;

describe("artifacts over REST", () => {
  const withArtifact = async () => {
    const opened = openRest({ engine: { tools: [keep], policy: "full" } });
    const done = (await json(await opened.call("keep", { text: "0123456789" }))) as unknown as { artifacts: { id: string }[] };
    return { ...opened, path: `/api/artifacts/${done.artifacts[0]?.id}` };
  };

  it("are served to be saved, whole", async () => {
    const { ask, path } = await withArtifact();
    expect(await json(await ask("GET", path))).toMatchObject({ name: 'a "b".html', mediaType: "text/html", size: 10 });
    const whole = await ask("GET", `${path}/content`);
    expect(await whole.text()).toBe("0123456789");
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "text/html",
      "content-disposition": "attachment; filename*=UTF-8''a%20%22b%22.html",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
    });
    expect((await ask("GET", `${path}/content`, { as: "other" })).status).toBe(404);
  });

  it.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=8-", 206, "89", "bytes 8-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=5-99", 206, "56789", "bytes 5-9/10"],
    ["bytes=3-1", 200, "0123456789", null],
    ["bytes=0-1,4-5", 200, "0123456789", null],
    ["lines=1-2", 200, "0123456789", null],
    ["bytes=10-", 416, undefined, "bytes */10"],
    ["bytes=-0", 416, undefined, "bytes */10"],
  ])("are served in part: %s", async (range, status, text, place) => {
    const { ask, path } = await withArtifact();
    const part = await ask("GET", `${path}/content`, { headers: { range } });
    expect([part.status, part.headers.get("content-range")]).toEqual([status, place]);
    if (text !== undefined) expect(await part.text()).toBe(text);
  });
});
