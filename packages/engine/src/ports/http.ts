export interface HttpRequest {
  readonly url: string;
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds for the whole exchange, redirects included. Default 30 000. */
  readonly timeoutMs?: number;
  /** Decoded bytes kept of the body. Default 5 MB. */
  readonly maxBytes?: number;
  /** Default and most: 5. 0 returns the redirect itself. */
  readonly maxRedirects?: number;
  /** Name of a secret that an operator bound to the origin of the URL; it is sent as a header, and the tool never sees it. */
  readonly credential?: string;
}

export interface HttpResponse {
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** True when the body was longer than `maxBytes`; `body` holds its beginning. */
  readonly truncated: boolean;
  readonly redirects: readonly string[];
}

/**
 * Reads from hosts that the policy permits. *Contract:* each hop's URL is judged, its name resolved once, and a checked address dialled;
 * private, local and metadata addresses are refused; only GET and HEAD are sent. Across origins only GET, HEAD and OPTIONS follow a redirect, with
 * neither credentials nor headers that could carry them; any other redirect is the answer itself. Errors: `url_refused`, `effect_refused` (the method),
 * `name_not_resolved`, `connection_failed`, `response_too_large` (headers), `too_many_redirects`, `timeout`, `secret_missing`, `secret_unreadable`, `approval_void`. Whatever goes wrong after a POST or PATCH
 * was sent is `connection_failed` with `details.sent` true: it may have had its effect.
 */
export interface ReadHttp {
  request(request: HttpRequest): Promise<HttpResponse>;
}

/** HTTP requests with any method, judged and guarded like reading ones. Given for the effect `http: "write"`. */
export interface Http extends ReadHttp {
  readonly anyMethod: true;
}
