import { ToolwrightError } from "@toolwright/engine/errors";
import { defineOperation, defineSubject, listOf, maySeeSession, requireSession, time } from "@toolwright/engine/operations";
import { z } from "zod";
import { browsersPort, type OpenBrowser } from "../contract/browser-inspector.ts";

const url = z.string().describe("Where the page is now");
const title = z.string().describe("As the page has it: the word of a stranger");
const session = z.string().min(1).max(200).describe("Session that has the page");

const openBrowser = z.object({
  ...{ session, url, title },
  agent: z.string().optional().describe("The agent that opened it"),
  openedAt: time("When the session opened its first page"),
  usedAt: time("When a call used it last"),
});

const ofThisServer =
  "They are those of this server. Principals have those of sessions that they may use; sessions:manage has all of the tenant.";

const listBrowsers = defineOperation({
  name: "browsers.list",
  at: "GET /browsers",
  title: "List browsers",
  description: `Lists the sessions that have a page open in the browser, last used first. ${ofThisServer}`,
  effect: "read",
  needs: [browsersPort],
  input: z.object({}),
  output: listOf(openBrowser),
  async run(_, { principal, parts, ports }) {
    const { tenant } = principal;
    const found: OpenBrowser[] = [];
    for (const each of await ports.browsers.list(tenant)) {
      const owned = await parts.sessions.find({ tenant, id: each.session });
      if (owned && maySeeSession(principal, owned)) found.push(each);
    }
    return { items: found.toSorted((one, other) => other.usedAt - one.usedAt) };
  },
});

const viewBrowser = defineOperation({
  name: "browsers.view",
  at: "GET /browsers/{session}/frame",
  title: "View a page",
  description: `Shows what the page of a session looks like now. Fields that a secret was typed into are covered. ${ofThisServer}`,
  effect: "read",
  needs: [browsersPort],
  input: z.object({ session }),
  output: z.object({ session, url, title, jpeg: z.string().describe("A JPEG image in base64") }),
  async run({ session: wanted }, { principal, parts, ports }) {
    const { tenant, id } = await requireSession(principal, wanted, { parts });
    const frame = await ports.browsers.frame(tenant, id);
    if (!frame) throw noPage(wanted);
    return { session: id, url: frame.url, title: frame.title, jpeg: Buffer.from(frame.jpeg).toString("base64") };
  },
});

const closeBrowser = defineOperation({
  name: "browsers.close",
  at: "DELETE /browsers/{session}",
  title: "Close a browser",
  description: `Closes the pages of a session, with their logins. ${ofThisServer}`,
  effect: "destructive",
  needs: [browsersPort],
  input: z.object({ session }),
  output: z.object({ closed: z.string() }),
  async run({ session: wanted }, { principal, parts, ports }) {
    const { tenant, id } = await requireSession(principal, wanted, { parts });
    if (await ports.browsers.close(tenant, id)) return { closed: id };
    throw noPage(wanted);
  },
});

function noPage(session: string): ToolwrightError {
  return new ToolwrightError(
    "browser_not_found",
    `The session ${JSON.stringify(session)} has no page that can be shown. See those that have one with browsers.list.`,
  );
}

export const browsersSubject = defineSubject({
  name: "browsers",
  errors: {
    browser_not_found: { kind: "missing", means: "The session has no page that can be shown." },
    browser_unavailable: { kind: "unready", means: "There is no browser, it could not be started, or it ended." },
    browser_refused: { kind: "refused", means: "The page, or what was asked of it, is not permitted." },
  },
  store: [browsersPort],
  tools: "browser",
  operations: [listBrowsers, viewBrowser, closeBrowser],
});
