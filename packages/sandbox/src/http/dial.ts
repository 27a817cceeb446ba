import { isIP, type Socket } from "node:net";
import type { buildConnector } from "undici";
import { rememberDialled } from "./dialled.ts";

export interface DialTarget {
  /** The checked address, the only one that may be connected to. */
  readonly address: string;
  readonly port: number;
  /** The name that the certificate must hold and that SNI sends; an address for literal hosts. */
  readonly host: string;
  readonly secure: boolean;
}

/** Opens one socket, with TLS when the target is secure. */
export type Dial = (target: DialTarget) => Promise<Socket>;

const connectTimeoutMs = 10_000;

/**
 * Dials with certificate checks that no environment variable loosens: the authorities are the bundled ones and those given here,
 * NODE_TLS_REJECT_UNAUTHORIZED and NODE_EXTRA_CA_CERTS have no say.
 */
export function createDial(certificateAuthorities: readonly string[] = []): Dial {
  let connector: Promise<buildConnector.connector> | undefined;
  return async ({ address, port, host, secure }) => {
    connector ??= makeConnector(certificateAuthorities);
    const connect = await connector;
    return new Promise((resolve, reject) => {
      const servername = secure && isIP(host) === 0 ? { servername: host } : {};
      const target = { hostname: address, protocol: secure ? "https:" : "http:", port: String(port), ...servername };
      connect(target, (error, socket) => (error ? reject(error) : resolve(rememberDialled(socket))));
    });
  };
}

/** At the first dial only: to read the authorities and to load the client takes longer than much else of a start. */
async function makeConnector(certificateAuthorities: readonly string[]): Promise<buildConnector.connector> {
  const [{ buildConnector }, { createSecureContext, rootCertificates }] = await Promise.all([import("undici"), import("node:tls")]);
  const secureContext = createSecureContext({ ca: [...rootCertificates, ...certificateAuthorities], minVersion: "TLSv1.2" });
  return buildConnector({
    secureContext,
    rejectUnauthorized: true,
    allowH2: false,
    maxCachedSessions: 0,
    timeout: connectTimeoutMs,
  });
}
