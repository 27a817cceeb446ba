import { createMemoryCatalogueStore } from "@toolwright/engine/ports";
import { skillPrompts } from "@toolwright/server/skill-prompts";
import { afterEach, describe, expect, it } from "vitest";
import { ann, connect, eras, openDoor } from "../../../packages/doors/test/mcp-client.ts";

const text = "# Begin with a greeting\n\nThen write.";
const people = {
  ann: { ...ann, permissions: ["agents:run"] },
  helper: { ...ann, permissions: ["agents:run"], agent: "helper" },
  guest: ann,
  stranger: { ...ann, tenant: "other", permissions: ["agents:run"] },
} as const;

async function open() {
  const catalogue = createMemoryCatalogueStore();
  await catalogue.agents.create("acme", { agent: "helper", name: "Helper", features: {}, restricted: false, acceptsAgents: false });
  for (const skill of ["letters", "review"])
    await catalogue.skills.create("acme", { skill, title: `The ${skill}`, instructions: text, tools: [] });
  await catalogue.skills.setForAgent({ tenant: "acme", agent: "helper", skill: "letters" }, true);
  const authentication = { open: false, authenticate: (token = "") => people[token as keyof typeof people] };
  const { door, engine } = openDoor({ door: { authentication, prompts: skillPrompts(catalogue) } });
  close = async () => void (await Promise.all([door.close(), engine.close()]));
  return { catalogue, door };
}

let close = async () => {};
afterEach(() => close());

describe.each(eras)("skills as prompts, $era", ({ mode }) => {
  it("are those of the tenant, or of the agent that the client acts as, for who may run agents", async () => {
    const { door } = await open();
    const prompts = async (token: keyof typeof people) => (await (await connect(door, { mode, token })).listPrompts()).prompts;
    const [letters, review] = ["letters", "review"].map((name) => ({ name, title: `The ${name}`, description: "Begin with a greeting" }));
    expect(await prompts("ann")).toEqual([letters, review]);
    expect(await prompts("helper")).toEqual([letters]);
    expect([await prompts("guest"), await prompts("stranger")]).toEqual([[], []]);
  });

  it("are read whole, and one that the client does not have is as missing", async () => {
    const { door } = await open();
    const helper = await connect(door, { mode, token: "helper" });
    const { messages } = await helper.getPrompt({ name: "letters" });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text } }]);
    const refuse = (name: string) => helper.getPrompt({ name }).catch((error: Error) => error.message.replace(name, "..."));
    expect(await refuse("review")).toBe(await refuse("nothing"));
  });

  it("come and go while a client is connected", async () => {
    const { door, catalogue } = await open();
    const heard = Promise.withResolvers<readonly string[]>();
    const onChanged = (_: unknown, prompts: readonly { readonly name: string }[] | null) =>
      heard.resolve(prompts?.map(({ name }) => name) ?? []);
    await connect(door, { mode, token: "helper", client: { listChanged: { prompts: { onChanged } } } });
    await catalogue.skills.setForAgent({ tenant: "acme", agent: "helper", skill: "review" }, true);
    expect(await heard.promise).toEqual(["letters", "review"]);
  });
});
