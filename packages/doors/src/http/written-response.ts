/** A response whose body is text that is there as a whole. A listener that knows it sends that text; anybody else reads it as of any response. */
export class WrittenResponse extends Response {
  readonly written: string;
  #readable: Response | undefined;

  constructor(written: string, init: ResponseInit) {
    // A body that nobody may ask for costs most of a response: its stream and its bytes are made when somebody does.
    super(null, init);
    this.written = written;
  }

  static override json(value: unknown, init: ResponseInit = {}): WrittenResponse {
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new WrittenResponse(JSON.stringify(value), { ...init, headers });
  }

  get readable(): Response {
    this.#readable ??= new Response(this.written, this);
    return this.#readable;
  }
}

for (const name of ["body", "bodyUsed"] as const)
  Object.defineProperty(WrittenResponse.prototype, name, {
    get(this: WrittenResponse) {
      return this.readable[name];
    },
  });
for (const name of ["arrayBuffer", "blob", "bytes", "clone", "formData", "json", "text"] as const)
  Object.defineProperty(WrittenResponse.prototype, name, {
    value(this: WrittenResponse) {
      return this.readable[name]();
    },
  });
