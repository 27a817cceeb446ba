import { join } from "node:path";
import { openStore, type Store } from "@toolwright/postgres";

/**
 * The embedded store of a state folder, made of the template that the tests share. While it is open commands join it: to open it for each of
 * them takes longer than what they do.
 */
export function holdStore(state: string): Promise<Store> {
  const cache = join(process.env.TOOLWRIGHT_TEST_CACHE ?? "", "toolwright");
  return openStore({ folder: join(state, "store"), cache, process: "test", holder: "a test" });
}
