/** A session that a client opened and comes back to with its id. */
export interface ClientSession {
  readonly tenant: string;
  /** SHA-256 of the session's id: the store holds nothing that opens it. */
  readonly id: string;
  /** Digest of the principal that opened it. */
  readonly owner: string;
  /** JSON of what the client sent to open it. */
  readonly opening: string;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
}

export type ClientSessionName = Pick<ClientSession, "tenant" | "id">;

/** Open sessions, so that another process can go on with them. *Contract:* a removed session is never found again. */
export interface ClientSessions {
  /** Keeps a new session. */
  put(session: ClientSession): Promise<void>;
  find(name: ClientSessionName): Promise<ClientSession | undefined>;
  /** Puts down when it was used last; nothing happens to one that is gone. */
  touch(name: ClientSessionName, usedAt: number): Promise<void>;
  remove(name: ClientSessionName): Promise<void>;
}
