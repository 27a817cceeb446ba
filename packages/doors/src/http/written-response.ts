interface WrittenInit {
  /** Default: 200. */
  readonly status?: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a response can do, without the state of one, which costs more to make than most answers cost to write. */
function stateless() {}
stateless.prototype = Response.prototype;
const Stateless = stateless as unknown as new () => Response;

/** A response whose body is text that is there as a whole. A listener that knows it sends that text; anybody else reads it as of any response. */
export class WrittenResponse extends Stateless {
  readonly written: string;
  readonly #init: WrittenInit;
  #readable: Response | undefined;

  constructor(written: string, init: WrittenInit = {}) {
    super();
    this.written = written;
    this.#init = init;
  }

  static json(value: unknown, { status = 200, headers = {} }: WrittenInit = {}): WrittenResponse {
    return new WrittenResponse(JSON.stringify(value), { status, headers: { "content-type": "application/json", ...headers } });
  }

  /** A `Response` of the platform, made when somebody asks for more than the text. */
  get readable(): Response {
    this.#readable ??= new Response(this.written, this.#init);
    return this.#readable;
  }

  /** Status and headers for a listener: as they were given, unless somebody asked for them, who may have changed them. */
  get head(): { readonly status: number; readonly headers: Readonly<Record<string, string>> | Headers } {
    const { status = 200, headers = {} } = this.#readable ?? this.#init;
    return { status, headers };
  }
}

for (const name of ["body", "bodyUsed", "headers", "ok", "redirected", "status", "statusText", "type", "url"] as const)
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
