import { z } from "zod";
import { longestClientName } from "./client-name.ts";
import { isStorable } from "./storable-text.ts";

const mostAddressLength = 500;

/** True for an id that is the address of a document; one that may be written in several ways is none. */
export function isClientAddress(clientId: string): boolean {
  if (clientId.length > mostAddressLength) return false;
  const url = URL.parse(clientId);
  return (
    url !== null &&
    url.href === clientId &&
    url.protocol === "https:" &&
    url.username === "" &&
    url.password === "" &&
    !clientId.includes("#") &&
    url.pathname !== "/"
  );
}

const text = z.string().refine(isStorable, "holds NUL or half of a character");

/** What is taken of a document; the rest says nothing here. */
const described = z.object({
  client_id: z.string(),
  client_name: text.trim().min(1).max(longestClientName),
  client_uri: text.max(mostAddressLength).optional(),
  redirect_uris: z.array(text.min(1).max(2_000)).min(1).max(20),
  application_type: z.enum(["web", "native"]).optional(),
  grant_types: z.array(z.string()).default(["authorization_code"]),
  token_endpoint_auth_method: z.string().default("none"),
  client_secret: z.never().optional(),
  client_secret_expires_at: z.never().optional(),
});

export interface ClientDocument {
  client_id: string;
  client_name: string;
  client_uri?: string;
  redirect_uris: string[];
  application_type?: "web" | "native";
  grant_types: ("authorization_code" | "refresh_token")[];
  response_types: ["code"];
  token_endpoint_auth_method: "none";
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/** What an answer says of the client, or in words why it says nothing. */
export function checkClientDocument(address: string, { status, headers, body, truncated }: Answer): ClientDocument | string {
  const at = `The description of the client at ${address}`;
  if (status !== 200) return `${at} was answered with status ${status}, and only 200 counts.`;
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) return `${at} is not JSON.`;
  if (truncated) return `${at} is too long.`;
  const read = described.safeParse(parse(body));
  if (!read.success)
    return `${at} is not one: ${read.error.issues.map(({ path, message }) => `${path.join(".") || "all of it"}: ${message}`).join("; ")}`;
  const { client_id, client_name, client_uri, redirect_uris, application_type, grant_types, token_endpoint_auth_method } = read.data;
  if (client_id !== address) return `${at} is that of another client.`;
  if (token_endpoint_auth_method !== "none")
    return `${at} asks for ${token_endpoint_auth_method}; only public clients ("none", with PKCE) are taken.`;
  if (!grant_types.includes("authorization_code")) return `${at} does not name the grant authorization_code.`;
  return {
    client_id,
    client_name,
    redirect_uris,
    ...(client_uri !== undefined && URL.parse(client_uri)?.protocol === "https:" && { client_uri }),
    ...(application_type && { application_type }),
    grant_types: grant_types.includes("refresh_token") ? ["authorization_code", "refresh_token"] : ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
