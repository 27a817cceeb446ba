import { randomBytes } from "node:crypto";
import { tryGetCurrentAuthEndpointContext } from "@better-auth/core/context";
import { sha256 } from "@toolwright/engine/ports";
import type { BetterAuthPlugin, DBAdapter, Where } from "better-auth";
import { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";

type Row = Record<string, unknown>;
type SecretKey = Parameters<typeof symmetricEncrypt>[0]["key"];

/** How the library's rows are kept: what is a credential, and in which way it is made useless to a reader of the database. */
interface Kept {
  /** Looked up by it; kept as SHA-256. */
  readonly hashed?: string;
  /** Read back; kept encrypted under the key that signs cookies, which is not in the database. */
  readonly sealed?: string;
  /** Never asked for again; not kept. */
  readonly dropped?: readonly string[];
}

const keptByModel: ReadonlyMap<string, Kept> = new Map<string, Kept>([
  ["session", { hashed: "token" }],
  ["verification", { hashed: "identifier", sealed: "value" }],
  ["account", { dropped: ["accessToken", "refreshToken", "idToken"] }],
]);

/**
 * Keeps what the library's tables hold of credentials in a form that opens nothing (R-TN-7). By itself the library keeps the token of a session as
 * it is in the cookie, and finds an identifier by its hash as well as by itself. Its queries are wrapped, as every way to a row goes through them.
 */
export function storedCredentials(): BetterAuthPlugin {
  return {
    id: "stored-credentials",
    init({ adapter, secretConfig }) {
      // In place: the library has handed the adapter on already, and knows it by identity.
      Object.assign(adapter, wrapAdapter({ ...adapter }, secretConfig));
    },
  };
}

function wrapAdapter(inner: DBAdapter, key: SecretKey): Partial<DBAdapter> {
  const columns = createColumns(key);
  const one = async <Found>(query: Query, find: (query: never) => Promise<Found | null>): Promise<Found | null> => {
    const asked = columns.ask(query);
    const row = await find(asked.query as never);
    return row === null ? null : ((await asked.read(row as Row)) as Found | null);
  };
  const many = <Result>(query: Query, work: (query: never) => Promise<Result>) => work(columns.ask(query).query as never);
  return {
    async create<Data extends Row, Made = Data>(query: { readonly model: string; readonly data: Omit<Data, "id"> }) {
      const asked = columns.ask({ model: query.model, update: query.data });
      const row = await inner.create<Row, Row>({ ...query, data: (await columns.write(query.model, query.data)) as never });
      return (await asked.read(row)) as unknown as Made;
    },
    findOne: (query) => one(query, inner.findOne as never),
    async findMany<Found>(query: Parameters<DBAdapter["findMany"]>[0]) {
      const asked = columns.ask(query);
      const rows = await inner.findMany<Row>(asked.query as typeof query);
      return (await Promise.all(rows.map(asked.read))).filter((row) => row !== null) as Found[];
    },
    count: (query) => many(query, inner.count),
    update: async (query) => one({ ...query, update: await columns.write(query.model, query.update) }, inner.update as never),
    updateMany: async (query) => many({ ...query, update: await columns.write(query.model, query.update) }, inner.updateMany),
    delete: (query) => many(query, inner.delete),
    deleteMany: (query) => many(query, inner.deleteMany),
    consumeOne: (query) => one(query, inner.consumeOne as never),
    incrementOne: async (query) =>
      one({ ...query, ...(query.set && { set: await columns.write(query.model, query.set) }) }, inner.incrementOne as never),
  };
}

interface Query {
  readonly model: string;
  readonly where?: Where[] | undefined;
  readonly update?: Row;
}

function createColumns(key: SecretKey) {
  // What stands for a credential of which only the hash is known. Nobody outside of this process can write one.
  const handlePrefix = `hash-${randomBytes(16).toString("hex")}:`;
  const toHash = (given: unknown) =>
    typeof given !== "string" ? given : given.startsWith(handlePrefix) ? given.slice(handlePrefix.length) : sha256(given);
  return {
    /** The query as the database understands it, and the way back for its rows. */
    ask(query: Query) {
      const { hashed, sealed } = keptByModel.get(query.model) ?? {};
      const asked: unknown[] = hashed === undefined ? [] : [query.update?.[hashed], currentToken()];
      const where = query.where?.map((clause) => {
        if (clause.field !== hashed) return clause;
        if (clause.operator !== undefined && !["eq", "ne", "in", "not_in"].includes(clause.operator))
          throw new Error(`${query.model}.${hashed} is kept as a hash and cannot be compared with ${clause.operator}.`);
        asked.push(...[clause.value].flat());
        return { ...clause, value: (Array.isArray(clause.value) ? clause.value.map(toHash) : toHash(clause.value)) as never };
      });
      const known = new Map(asked.filter((value) => typeof value === "string").map((value) => [toHash(value), value]));
      return {
        query: where ? { ...query, where } : query,
        /** Null for one that was sealed under another secret, which is good for nothing any more. */
        async read(row: Row): Promise<Row | null> {
          const shown = { ...row };
          if (hashed !== undefined && typeof row[hashed] === "string")
            shown[hashed] = known.get(row[hashed]) ?? `${handlePrefix}${row[hashed]}`;
          if (sealed === undefined || typeof row[sealed] !== "string") return shown;
          const value = await unseal(row[sealed], key);
          return value === undefined ? null : { ...shown, [sealed]: value };
        },
      };
    },
    /** A row as it is kept. */
    async write(model: string, given: Row): Promise<Row> {
      const { hashed, sealed, dropped = [] } = keptByModel.get(model) ?? {};
      const row = { ...given };
      if (hashed !== undefined && hashed in row) row[hashed] = toHash(row[hashed]);
      if (sealed !== undefined && typeof row[sealed] === "string") row[sealed] = await seal(row[sealed], key);
      for (const column of dropped) if (column in row) row[column] = null;
      return row;
    },
  };
}

/** Token of the session that asks: the library tells it from the person's others by its token. */
function currentToken(): string | undefined {
  return tryGetCurrentAuthEndpointContext()?.context.session?.session.token;
}

const sealedPrefix = "sealed:";

/** What belongs to an authorization code is no credential, and is looked through when a person takes access back: `isCodeOf`. */
const isOfCode = (value: string) => value.startsWith('{"type":"authorization_code"');

async function seal(value: string, key: SecretKey): Promise<string> {
  return isOfCode(value) ? value : `${sealedPrefix}${await symmetricEncrypt({ key, data: value })}`;
}

async function unseal(value: string, key: SecretKey): Promise<string | undefined> {
  if (!value.startsWith(sealedPrefix)) return value;
  return symmetricDecrypt({ key, data: value.slice(sealedPrefix.length) }).catch(() => undefined);
}
