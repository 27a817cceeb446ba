/** A response whose body is text that is there as a whole: a listener that knows it sends that text, and reads no stream. */
export class WrittenResponse extends Response {
  readonly written: string;

  constructor(written: string, init: ResponseInit) {
    super(written, init);
    this.written = written;
  }

  static override json(value: unknown, init: ResponseInit = {}): WrittenResponse {
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new WrittenResponse(JSON.stringify(value), { ...init, headers });
  }
}
