import type { CallSite, CapabilityProvider } from "@toolwright/engine";
import type { Concern, ConcernedCall, ConcernSite } from "@toolwright/engine/ports";
import type { ActingPages } from "./browser-pages.ts";
import type { BrowserInspector } from "./contract/browser-inspector.ts";
import type { BrowserSession } from "./session/browser-session.ts";
import type { Sessions, SessionsParts } from "./session/sessions.ts";

export interface BrowserOptions extends SessionsParts {
  /** Why no browser can run here, and what would change that; undefined when one can. *Contract:* at once, from memory. */
  readonly problem: () => { readonly reason: string; readonly remedy: string } | undefined;
}

export interface BrowserCapability extends CapabilityProvider<"browser"> {
  /** For people who follow what agents do. */
  readonly inspector: BrowserInspector;
}

/** Pages in a Chromium of their own, which starts with the first of them. */
export function browserCapability(options: BrowserOptions): BrowserCapability {
  let opened: Sessions | undefined;
  let opening: Promise<Sessions> | undefined;
  const open = () => {
    opening ??= import("./session/sessions.ts").then((module) => (opened = new module.Sessions(options)));
    return opening;
  };
  return {
    name: "browser",
    // A person is asked once for each host.
    weigh: (declared) => (declared === "act" ? { changes: true, openWorld: true, concerned: true } : { changes: false, openWorld: true }),
    open: (_effect, site) => pagesOf(open, site),
    concern: async (call, site) => (opened === undefined ? [] : findConcerns(opened, call, site)),
    actsOn: ({ input }, site) => (opened === undefined ? [] : hostsActedOn(opened, input, site)),
    missing() {
      const problem = options.problem();
      return problem && { reason: `${problem.reason} ${problem.remedy}`, change: { kind: "definition", text: problem.remedy } };
    },
    endSession: async (tenant, session) => void (await opened?.close(tenant, session)),
    close: async () => (await opening)?.end(),
    inspector: inspect(() => opened),
  };
}

function pagesOf(open: () => Promise<Sessions>, site: CallSite): ActingPages {
  const within = async <Result>(work: (pages: BrowserSession) => Promise<Result>) => (await open()).within(site, work);
  return {
    open: async (url) => (await open()).opening(site, (pages) => pages.open(url, site)),
    snapshot: (options) => within((pages) => pages.snapshot(options, site)),
    find: (text) => within((pages) => pages.find(text, site)),
    act: (action) => within((pages) => pages.act(action, site)),
    wait: (options) => within((pages) => pages.wait(options, site)),
    screenshot: (options) => within((pages) => pages.screenshot(options, site)),
    close: async () => ({ closed: await (await open()).close(site.principal.tenant, site.session) }),
  };
}

/** The first act on pages of a host in a session asks. */
function findConcerns(sessions: Sessions, { tool, input, declared }: ConcernedCall, site: ConcernSite): readonly Concern[] {
  if (declared !== "act" || site.autonomy !== "supervised") return [];
  const [host] = hostsActedOn(sessions, input, site) ?? [];
  // Where there is no page, or no such element, the call fails and does nothing.
  if (host === undefined || sessions.find(site.principal.tenant, site.session)?.permits(host)) return [];
  return [
    {
      rule: "default.browser.host",
      reason: `${tool} acts on the page of ${host}, for the first time in this session.`,
      subject: host,
      remedy: "Approve this call: further ones on this host run without a question in this session.",
      risk: "medium",
      grantable: true,
    },
  ];
}

/** Hosts of the documents that an action may act on: none where there is no such page any more, undefined for an element that nobody was shown. */
function hostsActedOn(sessions: Sessions, input: unknown, { principal, session }: ConcernSite): readonly string[] | undefined {
  const { snapshotId, ref } = input as { readonly snapshotId?: unknown; readonly ref?: unknown };
  const pages = sessions.find(principal.tenant, session);
  return pages ? pages.hostsFor(snapshotId, typeof ref === "string" ? ref : undefined) : [];
}

function inspect(sessions: () => Sessions | undefined): BrowserInspector {
  return {
    async list(tenant) {
      const held = sessions()?.list(tenant) ?? [];
      const open = held.map(async ({ session, agent, pages, usedAt }) => {
        const at = await pages.where();
        return at && { session, openedAt: pages.openedAt, usedAt, ...at, ...(agent !== undefined && { agent }) };
      });
      return (await Promise.all(open)).filter((each) => each !== undefined);
    },
    frame: async (tenant, session) => sessions()?.find(tenant, session)?.frame(),
    close: async (tenant, session) => (await sessions()?.close(tenant, session)) ?? false,
  };
}
