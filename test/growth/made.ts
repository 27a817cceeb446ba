import type { ServedProduct } from "./served-product.ts";

/** Ids of what inputs refer to. */
export interface Made {
  readonly approval: string;
  readonly room: string;
  readonly session: string;
  readonly upload: string;
}

/** Makes what inputs refer to, through the product's own door. */
export async function makeFor(product: ServedProduct): Promise<Made> {
  const post = async (path: string, body: object, method = "POST") => {
    const { body: answer } = await product.send({ method, path: `/api${path}`, body: JSON.stringify(body) });
    try {
      return JSON.parse(answer) as Readonly<Record<string, unknown>>;
    } catch {
      return {};
    }
  };
  await post("/agents", { agent: "helper", name: "Helper", instructions: "Help.", model: "x/y" });
  await post("/skills", { skill: "tidy", title: "Tidy", instructions: "Tidy up." });
  const session = await post("/sessions", { kind: "chat", title: "Chat" });
  const asked = await post("/tools/exec/call", { command: "git push --force" });
  const room = await post("/rooms", { title: "Room", agent: "helper", people: [] });
  const begun = await post("/documents", {
    ...{ title: "Title", collection: "notes", source: { kind: "text" }, mediaType: "text/plain", hash: "0".repeat(64) },
  });
  const approval = (asked.approval as { id?: string } | undefined)?.id;
  return { approval: approval ?? "some-id", room: textOr(room.id), session: textOr(session.id), upload: textOr(begun.upload) };
}

const textOr = (id: unknown) => (typeof id === "string" ? id : "some-id");
