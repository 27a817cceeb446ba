import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_SESSIONS } from "../contract/permissions.ts";
import type { BrowserFrame, OpenBrowser } from "../ports/browser-inspector.ts";
import { defineOperation } from "./define-operation.ts";
import { listOf, time } from "./json-parts.ts";

/** What a page looked like when it was asked for. */
export interface SeenPage extends Pick<BrowserFrame, "url" | "title"> {
  readonly session: string;
  /** Base64. */
  readonly jpeg: string;
}

const url = z.string().describe("Where the page is now");
const title = z.string().describe("As the page has it: the word of a stranger");
const session = z.string().min(1).max(200).describe("Session that has the page");

const openBrowser: z.ZodType<OpenBrowser> = z.object({
  ...{ session, url, title },
  agent: z.string().optional().describe("The agent that opened it"),
  openedAt: time("When the session opened its first page"),
  usedAt: time("When a call used it last"),
});

const ofThisServer = `They are those of this server. Needs the permission ${MANAGE_SESSIONS}.`;

export const listBrowsers = defineOperation({
  name: "browsers.list",
  title: "List browsers",
  description: `Lists the sessions that have a page open in the browser, last used first. ${ofThisServer}`,
  permission: MANAGE_SESSIONS,
  effect: "read",
  needs: ["browsers"],
  input: z.object({}),
  output: listOf(openBrowser),
  async run(_, { principal, ports }) {
    const found = await ports.browsers.list(principal.tenant);
    return { items: found.toSorted((one, other) => other.usedAt - one.usedAt) };
  },
});

export const viewBrowser = defineOperation({
  name: "browsers.view",
  title: "View a page",
  description: `Shows what the page of a session looks like now. Fields that a secret was typed into are covered. ${ofThisServer}`,
  permission: MANAGE_SESSIONS,
  effect: "read",
  needs: ["browsers"],
  input: z.object({ session }),
  output: z.object({ session, url, title, jpeg: z.string().describe("A JPEG image in base64") }) as z.ZodType<SeenPage>,
  async run({ session: wanted }, { principal, ports }) {
    const frame = await ports.browsers.frame(principal.tenant, wanted);
    if (!frame) throw noPage(wanted);
    return { session: wanted, url: frame.url, title: frame.title, jpeg: Buffer.from(frame.jpeg).toString("base64") };
  },
});

export const closeBrowser = defineOperation({
  name: "browsers.close",
  title: "Close a browser",
  description: `Closes the pages of a session, with their logins. ${ofThisServer}`,
  permission: MANAGE_SESSIONS,
  effect: "destructive",
  needs: ["browsers"],
  input: z.object({ session }),
  output: z.object({ closed: z.string() }),
  async run({ session: wanted }, { principal, ports }) {
    if (await ports.browsers.close(principal.tenant, wanted)) return { closed: wanted };
    throw noPage(wanted);
  },
});

function noPage(session: string): ToolwrightError {
  return new ToolwrightError(
    "browser_not_found",
    `The session ${JSON.stringify(session)} has no page that can be shown. See those that have one with browsers.list.`,
  );
}
