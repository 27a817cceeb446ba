import { once } from "node:events";
import { request as ask } from "node:http";
import { request as askEncrypted, createServer, type RequestOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { testIdentity } from "@toolwright/sandbox/testing";

/** What common reverse proxies do: TLS ends here, the Host stays, and whom it heard is added to X-Forwarded-For. */
export class TlsProxy {
  #upstream = "";
  readonly #server = createServer(testIdentity, (incoming, outgoing) => {
    const { "x-forwarded-for": said, ...headers } = incoming.headers;
    const heard = [...(said === undefined ? [] : [said]), incoming.socket.remoteAddress].join(", ");
    const { method = "GET", url = "/" } = incoming;
    const passed = ask(`${this.#upstream}${url}`, {
      method,
      headers: { ...headers, "x-forwarded-for": heard, "x-forwarded-proto": "https" },
    });
    passed.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });

  /** On a free port. From here on this process believes its certificate. */
  static async start(): Promise<TlsProxy> {
    setDefaultCACertificates([...new Set([...getCACertificates("default"), testIdentity.cert])]);
    const proxy = new TlsProxy();
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Says where the server behind it listens. */
  lead(upstream: string): void {
    this.#upstream = upstream;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Posts a form as another machine would, whose address is `from`: one of loopback. */
export async function postFrom(from: string, url: string, { fields = {}, headers = {} }: PostedForm): Promise<number> {
  const body = new URLSearchParams(fields).toString();
  const options: RequestOptions = {
    method: "POST",
    localAddress: from,
    ca: testIdentity.cert,
    headers: {
      origin: new URL(url).origin,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
      ...headers,
    },
  };
  const sent = askEncrypted(url, options).end(body);
  const [answer] = await once(sent, "response");
  answer.resume();
  await once(answer, "end");
  return answer.statusCode;
}

interface PostedForm {
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}
