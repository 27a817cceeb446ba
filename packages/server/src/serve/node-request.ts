/** What a request came with. */
export interface Received {
  readonly method: string;
  readonly headers: Headers;
  /** Aborts when the client goes away before the answer is out. */
  readonly signal: AbortSignal;
  /** All of it; null where there is none. */
  readonly bytes: Uint8Array | null;
}

/** The types have all members of a request as properties, which a class may not stand in for. */
const Base = Request as unknown as new (url: URL, init: { readonly method: string }) => Pick<Request, "url" | "method">;

/**
 * A request whose body is there: it is handed out without a stream, and the signal as it is, each of which costs more than reading the request.
 * What wants more of it than that gets a whole one, as does a copy: `new Request(request)` would find no body.
 */
export class NodeRequest extends Base {
  readonly #received: Received;
  #whole: Request | undefined;
  #isUsed = false;

  constructor(url: URL, received: Received) {
    super(url, { method: received.method });
    this.#received = received;
  }

  /** The same with a body that can be streamed and copied. */
  get whole(): Request {
    const { method, headers, signal, bytes } = this.#received;
    this.#whole ??= new Request(this.url, { method, headers, signal, body: bytes as Uint8Array<ArrayBuffer> | null });
    return this.#whole;
  }

  get headers(): Headers {
    return this.#received.headers;
  }

  get signal(): AbortSignal {
    return this.#received.signal;
  }

  get body(): Request["body"] {
    return this.#received.bytes === null ? null : this.whole.body;
  }

  get bodyUsed(): boolean {
    return this.#isUsed || this.#whole?.bodyUsed === true;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return Uint8Array.from(this.#take());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return Uint8Array.from(this.#take()).buffer;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(this.#take());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  blob(): Promise<Blob> {
    return this.whole.blob();
  }

  formData(): Promise<FormData> {
    return this.whole.formData();
  }

  clone(): Request {
    return this.whole.clone();
  }

  /** Once, as it is with every request. */
  #take(): Uint8Array {
    if (this.bodyUsed) throw new TypeError("Body is unusable: Body has already been read");
    const { bytes } = this.#received;
    this.#isUsed = bytes !== null;
    return bytes ?? new Uint8Array();
  }
}
