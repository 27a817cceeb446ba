import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { auth, type StoredOAuthTokens } from "@modelcontextprotocol/client";
import { Program } from "../../packages/cli/test/oauth-program.ts";
import { Place } from "./run-cli.ts";
import { type Served, startServer } from "./served.ts";

export const password = "correct horse battery";

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
}

/** A `toolwright serve` at which people sign in, and its operator at the command line. */
export class PeopleServer {
  readonly #place: Place;
  readonly origin: string;
  /** For a proxy that serves that origin. */
  readonly listens: string;

  private constructor(place: Place, { mcp, listens }: Served) {
    this.#place = place;
    this.listens = listens;
    this.origin = new URL(mcp).origin;
  }

  static async start(env: NodeJS.ProcessEnv = {}): Promise<PeopleServer> {
    const place = await Place.make();
    try {
      return new PeopleServer(place, await startServer(place, ["--auth"], env));
    } catch (error) {
      await place.remove();
      throw error;
    }
  }

  /** What a command of the operator prints. */
  async run(...args: string[]): Promise<string> {
    const { code, out, err } = await this.#place.run(args, { env: { TOOLWRIGHT_URL: this.origin } });
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${err}`);
    return out.trim();
  }

  /** Somebody who was invited and has made the account, without a browser. Resolves with the cookies of where they did. */
  async addPerson(email: string): Promise<Cookie[]> {
    const token = new URL(await this.run("users", "invite", email)).searchParams.get("token") ?? "";
    const headers = { origin: this.origin };
    const body = new URLSearchParams({ token, name: "Ann Other", password });
    const made = await fetch(`${this.origin}/auth/accept`, { method: "POST", redirect: "manual", headers, body });
    if (made.status !== 303) throw new Error(`No account for ${email}: ${made.status}`);
    return made.headers.getSetCookie().map((cookie) => {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      return { name, value, url: this.origin };
    });
  }

  stop(): Promise<void> {
    return this.#place.remove();
  }
}

/** Another site of this machine: it writes down which addresses were opened there, and from where. */
export class OtherSite {
  readonly opened: URL[] = [];
  readonly referrers: (string | undefined)[] = [];
  readonly #server = createServer((request, response) => {
    const url = new URL(request.url ?? "", this.origin);
    if (url.pathname !== "/favicon.ico") {
      this.opened.push(url);
      this.referrers.push(request.headers.referer);
    }
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>");
  });

  static async start(): Promise<OtherSite> {
    const site = new OtherSite();
    site.#server.listen(0, "127.0.0.1");
    await once(site.#server, "listening");
    return site;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A program that asks a person for access, as an MCP client does. */
export interface AskingProgram {
  /** Where it sends the person. */
  readonly question: URL;
  /** What it gets for the answer that came back. */
  exchange(answer: URLSearchParams): Promise<StoredOAuthTokens | undefined>;
}

/** The official client, which finds its way from the address of the server and registers itself. */
export async function askForAccess(origin: string, redirectUrl: string, name = "Notes"): Promise<AskingProgram> {
  const program = new Program({ name, redirectUrl });
  const serverUrl = new URL(`${origin}/mcp`);
  await auth(program, { serverUrl, scope: "tools approvals offline_access" });
  return {
    question: program.asked as URL,
    async exchange(answer) {
      await auth(program, { serverUrl, authorizationCode: answer.get("code") ?? "", iss: answer.get("iss") ?? "" });
      return program.saved;
    },
  };
}
