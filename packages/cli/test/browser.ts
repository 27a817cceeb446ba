/** As much of a browser as signing in needs: cookies, forms, and redirects that are followed one by one. */
export class Browser {
  readonly cookies = new Map<string, string>();

  async get(url: string | URL): Promise<Response> {
    return this.#keep(await fetch(url, { redirect: "manual", headers: { cookie: this.#cookie(), accept: "text/html" } }));
  }

  /** Sends a form as the page at `origin` would. */
  async post(
    url: string | URL,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const sent = { cookie: this.#cookie(), origin: new URL(url).origin, accept: "text/html", ...headers };
    return this.#keep(await fetch(url, { method: "POST", redirect: "manual", headers: sent, body: new URLSearchParams(fields) }));
  }

  /** Follows redirects while they stay on the server. Returns the last answer, and where it would lead away. */
  async follow(answer: Response, base: string): Promise<{ readonly answer: Response; readonly url: URL }> {
    let [current, url] = [answer, new URL(base)];
    for (let hops = 0; hops < 10; hops++) {
      const location = current.headers.get("location");
      if (location === null) return { answer: current, url };
      url = new URL(location, url);
      if (url.origin !== new URL(base).origin) return { answer: current, url };
      current = await this.get(url);
    }
    throw new Error(`Too many redirects, the last one to ${url}`);
  }

  #cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(answer: Response): Response {
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "" || /max-age=0/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }
}
