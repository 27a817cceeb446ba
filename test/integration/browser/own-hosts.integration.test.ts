import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { browserTools } from "@toolwright/browser";
import { createEngine, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { createMemorySecretStore, silentLogger, systemClock } from "@toolwright/engine/ports";
import { expect, test } from "vitest";
import { openBrowser } from "../../../packages/server/src/capabilities/open-browser.ts";
import { browserWords, html, problemOf, whyNoBrowser } from "./open-browser-place.ts";

const principal: Principal = {
  ...{ tenant: "t", actor: { kind: "user", id: "u" }, door: "cli", permissions: ["browser.tenant.read"] },
};

test.skipIf(whyNoBrowser)(`a page reaches no name of the server, also where the policy permits it${browserWords}`, async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers.host);
    html(response, `<h1>There</h1><img src="http://localhost:${port}/">`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const browser = openBrowser({
    machine: { found: [], look: async () => [] },
    ...{ env: {}, secrets: createMemorySecretStore(), ownHosts: ["localhost"], clock: systemClock, logger: silentLogger },
  });
  const network = { allow: [`localhost:${port}`, `127.0.0.1:${port}`], allow_ranges: ["127.0.0.1/32", "::1/128"] };
  const document = policyDocument.parse({ version: 1, autonomy: "full", network });
  const engine = createEngine({
    tools: browserTools.filter(({ effects }) => effects?.browser === "read"),
    ...{ capabilities: [browser], policy: [{ tier: "platform", document }] },
  });
  try {
    const scope = engine.scope(principal, { session: "s" });
    expect(await scope.invokeNamed("browser_open", { url: `http://127.0.0.1:${port}/` })).toMatchObject({ status: "done" });
    const problem = problemOf(await scope.invokeNamed("browser_open", { url: `http://localhost:${port}/` }));
    expect(problem).toMatchObject({ code: "url_refused", message: expect.stringContaining("a name of this server itself") });
    expect(new Set(asked)).toEqual(new Set([`127.0.0.1:${port}`]));
  } finally {
    await engine.close();
    server.closeAllConnections();
    server.close();
  }
});
