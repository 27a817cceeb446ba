import type { StoreInspector } from "@toolwright/engine/ports";
import type { Settings } from "../settings.ts";

/** Who looks at a store that these settings opened. */
export function inspectStore(
  { inspector }: { readonly inspector: Omit<StoreInspector, "place"> },
  { databaseUrl, state }: Pick<Settings, "databaseUrl" | "state">,
): StoreInspector {
  return { ...inspector, place: databaseUrl === undefined ? state : withoutPassword(databaseUrl) };
}

/** A password may stand before the host, or among the parameters. */
function withoutPassword(url: string): string {
  const place = new URL(url);
  place.password = "";
  place.searchParams.delete("password");
  return place.href;
}
