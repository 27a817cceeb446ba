import { createLocalEmbedder } from "@toolwright/embeddings";
import { createEngine } from "@toolwright/engine";
import { createMemorySecretStore, type Embedder, silentLogger } from "@toolwright/engine/ports";
import { machineCapabilities } from "@toolwright/server/machine";
import { builtinTools } from "@toolwright/tools";
import { afterAll, expect, test } from "vitest";

/** How people who do not know the tools ask for them. */
const questions: readonly (readonly [question: string, tool: string])[] = [
  ["show me what is inside this document", "file_read"],
  ["look at a photo", "file_read"],
  ["save some notes to disk", "file_write"],
  ["put text in a new document", "file_write"],
  ["fix a typo in my source code", "file_edit"],
  ["rename a variable everywhere", "file_edit"],
  ["get rid of a directory I no longer need", "file_delete"],
  ["erase an old picture", "file_delete"],
  ["what is in this directory", "file_list"],
  ["where does the word invoice appear", "file_search"],
  ["find every picture in my project", "file_search"],
  ["compile the project", "exec"],
  ["execute the unit tests", "exec"],
  ["which servers are still up", "process_list"],
  ["look at the logs of the dev server", "process_read"],
  ["answer the prompt of a waiting program", "process_write"],
  ["kill the hanging server", "process_stop"],
  ["end the job that runs in the background", "process_stop"],
  ["call a REST endpoint with a token", "http_request"],
  ["post a message to Slack", "http_request"],
  ["open this article from the internet", "web_fetch"],
  ["read the news site", "web_fetch"],
  ["download source code from GitHub", "git_clone"],
  ["see the rest of a result that was too long", "artifact_read"],
];

const embedder = createLocalEmbedder();
afterAll(() => embedder.close?.());

/** For how many questions the tool that is meant comes first, and among the first three. */
async function countFound(given: { readonly embedder?: Embedder }): Promise<readonly [first: number, amongThree: number]> {
  const machine = { drivers: [], look: async () => [] };
  const secrets = createMemorySecretStore();
  const capabilities = machineCapabilities({ machine, secrets, workspaceOf: () => "/nowhere", logger: silentLogger });
  const { operate, snapshot } = createEngine({
    tools: builtinTools,
    policy: "full",
    capabilities,
    secrets,
    logger: silentLogger,
    ...given,
  });
  const permissions = snapshot().tools.flatMap(({ definition }) => definition.permission ?? []);
  const ann = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions } as const;
  expect((await operate(ann, "tools.list", {})).items).toHaveLength(builtinTools.length);
  let [first, amongThree] = [0, 0];
  for (const [query, tool] of questions) {
    const { items } = await operate(ann, "tools.search", { query, limit: 3 });
    const place = items.findIndex(({ name }) => name === tool);
    if (place === 0) first++;
    if (place >= 0) amongThree++;
  }
  return [first, amongThree];
}

test("most questions in other words find their tool among the first three, which words alone do not", async () => {
  const [byWords, fused] = [await countFound({}), await countFound({ embedder })];
  expect(fused[0]).toBeGreaterThanOrEqual(12);
  expect(fused[1]).toBeGreaterThanOrEqual(18);
  expect(byWords[1]).toBeLessThan(14);
});
