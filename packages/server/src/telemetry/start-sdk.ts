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
  const sdk = new found.NodeSDK({ serviceName: env.OTEL_SERVICE_NAME || "toolwright" });
  sdk.start();
  return async () => {
    const ended = sdk.shutdown().catch((error: unknown) => logger.log("warn", "The last spans did not reach the collector.", { error }));
    await Promise.race([ended, new Promise<void>((resolve) => setTimeout(resolve, flushMs).unref())]);
  };
}
