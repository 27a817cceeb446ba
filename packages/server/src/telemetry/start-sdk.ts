import type { Logger } from "@toolwright/engine";
import { isRegistered } from "./is-registered.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Milliseconds for spans to leave when the process ends: a collector that is away must not hold it. */
const flushMs = 2_000;

/**
 * Starts the operator's OpenTelemetry SDK, unless one is registered already (`node --import`). It is no part of the product: without it one line of the
 * log says what to install. Resolves to how it ends.
 */
export async function startSdk(env: Environment, logger: Logger): Promise<() => Promise<void>> {
  if (isRegistered()) return async () => {};
  const found = await import("@opentelemetry/sdk-node").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  });
  if (!found) {
    const words = "A collector of OpenTelemetry is set, and its SDK is missing, so nothing is traced. Install it beside toolwright:";
    logger.log("warn", `${words} npm install @opentelemetry/sdk-node`);
    return async () => {};
  }
  const sdk = new found.NodeSDK({ serviceName: serviceNameIn(env) });
  sdk.start();
  return async () => {
    const ended = sdk.shutdown().catch((error: unknown) => logger.log("warn", "The last spans did not reach the collector.", { error }));
    await Promise.race([ended, new Promise<void>((resolve) => setTimeout(resolve, flushMs).unref())]);
  };
}

/** As OpenTelemetry says: `OTEL_SERVICE_NAME`, else the `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, else a name of the program's own. */
export function serviceNameIn({ OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: attributes = "" }: Environment): string {
  if (name?.trim()) return name.trim();
  const pairs = attributes.split(",").map((pair) => {
    const sign = pair.indexOf("=");
    return sign === -1 ? [] : [pair.slice(0, sign).trim(), decode(pair.slice(sign + 1).trim())];
  });
  return pairs.findLast(([key]) => key === "service.name")?.[1] || "toolwright";
}

/** Values may be in percent-encoding (Resource SDK, "Specifying resource information via an environment variable"). */
function decode(value: string): string {
  const text = value.replace(/^"(.*)"$/, "$1");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
