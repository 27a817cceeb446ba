import type { CallSite, CapabilityProvider } from "@toolwright/engine";
import type { BrowserInspector, Concern, ConcernedCall, ConcernSite } from "@toolwright/engine/ports";
import type { ActingPages } from "./browser-pages.ts";
import { Sessions, type SessionsParts } from "./session/sessions.ts";

export interface BrowserOptions extends SessionsParts {
  /** Why no browser can run here; undefined when one can. *Contract:* at once, from memory. */
  readonly problem: () => string | undefined;
}

export interface BrowserCapability extends CapabilityProvider<"browser"> {
  /** For people who follow what agents do. */
  readonly inspector: BrowserInspector;
}

/** Pages in a Chromium of their own, which starts with the first of them. */
export function browserCapability(options: BrowserOptions): BrowserCapability {
  const sessions = new Sessions(options);
  return {
    name: "browser",
    // It acts on the pages of its own session; a person is asked once for each host.
    weigh: (declared) => (declared === "act" ? { changes: true, openWorld: true, ownOnly: true } : { changes: false, openWorld: true }),
    open: (_effect, site) => pagesOf(sessions, site),
    concern: async (call, site) => findConcerns(sessions, call, site),
    missing() {
      const problem = options.problem();
      return problem === undefined
        ? undefined
        : { reason: problem, change: { kind: "definition", text: "Install what is missing; toolwright doctor says how." } };
    },
    endSession: async (tenant, session) => void (await sessions.close(tenant, session)),
    close: () => sessions.end(),
    inspector: inspect(sessions),
  };
}

function pagesOf(sessions: Sessions, site: CallSite): ActingPages {
  return {
    open: (url) => sessions.opening(site, (pages) => pages.open(url, site)),
    snapshot: (options) => sessions.within(site, (pages) => pages.snapshot(options, site)),
    find: (text) => sessions.within(site, (pages) => pages.find(text, site)),
    act: (action) => sessions.within(site, (pages) => pages.act(action, site)),
    wait: (options) => sessions.within(site, (pages) => pages.wait(options, site)),
    screenshot: (options) => sessions.within(site, (pages) => pages.screenshot(options, site)),
    close: async () => ({ closed: await sessions.close(site.principal.tenant, site.session) }),
  };
}

/** Whoever acts on pages of a host for the first time in a session is asked. */
function findConcerns(sessions: Sessions, { tool, input, declared }: ConcernedCall, site: ConcernSite): readonly Concern[] {
  if (declared !== "act" || site.autonomy !== "supervised") return [];
  const pages = sessions.find(site.principal.tenant, site.session);
  const ref = typeof input === "object" && input !== null && "ref" in input && typeof input.ref === "string" ? input.ref : undefined;
  const host = pages?.hostOf(ref);
  // Where there is no page, or no such element, the call says so and does nothing.
  if (!pages || host === undefined || pages.permits(host)) return [];
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

function inspect(sessions: Sessions): BrowserInspector {
  return {
    async list(tenant) {
      return Promise.all(
        sessions.list(tenant).map(async ({ session, agent, pages, usedAt }) => ({
          ...{ session, openedAt: pages.openedAt, usedAt, ...(await pages.where()) },
          ...(agent !== undefined && { agent }),
        })),
      );
    },
    frame: async (tenant, session) => sessions.find(tenant, session)?.frame(),
    close: (tenant, session) => sessions.close(tenant, session),
  };
}
