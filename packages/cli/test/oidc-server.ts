import { createHash, createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

/** Who the server says somebody is. */
export interface Claims {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  /** Where a case wants the server to lie. */
  readonly wrong?: "issuer" | "audience" | "nonce" | "signature" | "expired";
  /** The ID token holds no more than the subject; this is whom the userinfo endpoint speaks of. */
  readonly userinfoSubject?: string;
}

export interface OidcServerHere {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in next. */
  claims: Claims;
  /** Every token that it gave out. */
  readonly issued: readonly string[];
  stop(): Promise<void>;
}

interface Grant {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirect: string;
}

const base64 = (value: object | Buffer) => (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString("base64url");

/** A small OpenID Connect server that knows one client and signs in whom the test names, without asking. For a browser `localhost` is another site. */
export async function startOidcServer(claims: Claims, host = "127.0.0.1"): Promise<OidcServerHere> {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const others = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const issued: string[] = [];
  const here = { issuer: "", clientId: "toolwright", clientSecret: randomUUID(), claims, issued, stop: async () => {} };

  const idToken = ({ nonce }: Grant) => {
    const { wrong, userinfoSubject, ...all } = here.claims;
    const said = userinfoSubject === undefined ? all : { sub: all.sub };
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      ...said,
      iss: wrong === "issuer" ? "https://other.example" : here.issuer,
      aud: wrong === "audience" ? "somebody" : here.clientId,
      nonce: wrong === "nonce" ? "another" : nonce,
      iat: now - 600,
      exp: now + (wrong === "expired" ? -300 : 300),
    };
    const signed = `${base64({ alg: "RS256", kid: "one" })}.${base64(payload)}`;
    const { privateKey } = wrong === "signature" ? others : keys;
    return `${signed}.${base64(createSign("RSA-SHA256").update(signed).sign(privateKey))}`;
  };
  const takeCode = (body: URLSearchParams, authorization: string) => {
    const code = body.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    const basic = `Basic ${Buffer.from(`${here.clientId}:${here.clientSecret}`).toString("base64")}`;
    const isClient = authorization === basic || body.get("client_secret") === here.clientSecret;
    const isRight = isClient && grant?.challenge === challenge && grant.redirect === body.get("redirect_uri");
    if (!isRight) return undefined;
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID(), id_token: idToken(grant) };
    issued.push(...Object.values(tokens));
    return { ...tokens, token_type: "Bearer", expires_in: 300 };
  };
  const answer = async (request: IncomingMessage): Promise<object | URL | undefined> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", here.issuer);
    if (pathname === "/.well-known/openid-configuration") return configuration(here.issuer);
    if (pathname === "/keys") return { keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }] };
    if (pathname === "/token") return takeCode(new URLSearchParams(await text(request)), request.headers.authorization ?? "");
    if (pathname === "/userinfo") {
      const { wrong: _, userinfoSubject, ...said } = here.claims;
      return { ...said, sub: userinfoSubject };
    }
    if (pathname !== "/authorize") return undefined;
    const redirect = searchParams.get("redirect_uri") ?? "";
    const code = randomUUID();
    grants.set(code, { challenge: searchParams.get("code_challenge") ?? "", nonce: searchParams.get("nonce") ?? "", redirect });
    return new URL(`${redirect}?${new URLSearchParams({ code, state: searchParams.get("state") ?? "", iss: here.issuer })}`);
  };
  const server = createServer(async (request, response) => {
    const answered = await answer(request);
    if (answered instanceof URL) response.writeHead(302, { location: answered.href }).end();
    else if (answered) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answered));
    else response.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid_request"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  here.issuer = `http://${host}:${(server.address() as { port: number }).port}`;
  here.stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return here;
}

function configuration(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    authorization_response_iss_parameter_supported: true,
  };
}
