import { extendOAuthProvider } from "@better-auth/oauth-provider";
import { registerClientMetadataDocument } from "@better-auth/oauth-provider/internal";
import type { Clock } from "@toolwright/engine/ports";
import { APIError, type BetterAuthPlugin } from "better-auth";
import { type ClientDocument, checkClientDocument, isClientAddress } from "./check-client-document.ts";
import type { SignInHandle } from "./tables.ts";

/** A document at a public https address. *Contract:* reaches nothing that is not public, and rejects when it cannot be read. */
export type ReadDocument = (url: string) => Promise<{
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** True when it is longer than a document may be. */
  readonly truncated: boolean;
}>;

/** Bytes that a document may have, as the draft recommends. */
export const mostDocumentBytes = 5 * 1024;
/** Stored as where a client came from. */
export const documentSource = "client_document";

const freshMs = 60 * 60 * 1000;
const mostAtOnce = 8;

type Client = Awaited<ReturnType<typeof registerClientMetadataDocument>>["client"];

interface DocumentParts {
  readonly handle: SignInHandle;
  readonly read: ReadDocument;
  readonly clock: Clock;
}

/**
 * Clients whose id is the address of a document that describes them (draft-ietf-oauth-client-id-metadata-document). The stored client is the
 * cache, for every process: after an hour the document is read again, and a client whose document is gone or wrong is none any more.
 */
export function clientDocuments({ handle, read, clock }: DocumentParts): BetterAuthPlugin {
  const reading = new Map<string, Promise<Client>>();
  const once = (address: string, work: () => Promise<Client>) => {
    const known = reading.get(address);
    if (known) return known;
    if (reading.size >= mostAtOnce) throw refuse("TOO_MANY_REQUESTS", "temporarily_unavailable", "Too many descriptions are being read.");
    const started = work().finally(() => reading.delete(address));
    reading.set(address, started);
    return started;
  };
  return {
    id: "client-documents",
    init(context) {
      extendOAuthProvider(context, {
        clientDiscovery: {
          id: documentSource,
          matches: isClientAddress,
          discoveryMetadata: { client_id_metadata_document_supported: true },
          async resolve(ctx, clientId, existing) {
            const isFresh = existing?.updatedAt && existing.updatedAt.getTime() > clock.now() - freshMs;
            if (isFresh && !reading.has(clientId) && (await isComplete(handle, clientId))) return existing;
            const provider = ctx.context.getPlugin("oauth-provider");
            if (!provider) return null;
            return once(clientId, async () => {
              const metadata = await readClient(read, clientId, ctx.context.logger.warn);
              const registered = await registerClientMetadataDocument(ctx, provider.options as never, {
                metadata,
                clientId,
                clientDiscoveryId: documentSource,
                ...(existing && { existingClient: existing }),
              });
              return registered.client;
            });
          },
        },
      });
    },
  };
}

/** The library stores a client in two steps: another process may be between them, or may have ended there. */
async function isComplete(handle: SignInHandle, client: string): Promise<boolean> {
  const row = await handle
    .selectFrom("toolwright.oauth_client_resources")
    .select("client_id")
    .where("client_id", "=", client)
    .executeTakeFirst();
  return row !== undefined;
}

async function readClient(read: ReadDocument, address: string, warn: (message: string) => void): Promise<ClientDocument> {
  const answer = await read(address).catch((error: unknown) => {
    warn(`The description of the client at ${address} cannot be read: ${String(error)}`);
    // Why is for the operator alone: it would tell a stranger which names and addresses there are inside.
    throw refuse("BAD_REQUEST", "invalid_client", `The description of the client at ${address} cannot be read.`);
  });
  const checked = checkClientDocument(address, answer);
  if (typeof checked === "string") throw refuse("BAD_REQUEST", "invalid_client", checked);
  return checked;
}

function refuse(status: "BAD_REQUEST" | "TOO_MANY_REQUESTS", error: string, description: string): APIError {
  return new APIError(status, { error, error_description: description });
}
