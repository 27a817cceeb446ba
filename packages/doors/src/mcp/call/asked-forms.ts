import type { Clock } from "@toolwright/engine/ports";

/** A form of an approval that a session of 2025 has in front of it. */
interface OpenForm {
  /** Hears that somebody tried to answer it who may not. */
  readonly refused: () => void;
  /** Hears that an answer came of which nothing can be read, not even to which question: no other will come. */
  readonly unreadable: () => void;
}

/** Forms kept in mind at one time; the oldest is forgotten first. */
const mostForms = 10_000;

/** Which approvals clients are being asked for. It only helps to say what became of a form: nothing is permitted by it. */
export class AskedForms {
  readonly #sent = new Map<string, number>();
  readonly #answered = new Set<string>();
  readonly #inSessions = new Map<string, Set<OpenForm>>();
  readonly #parts: { readonly clock: Clock; readonly ttlMs: number };

  constructor(parts: { readonly clock: Clock; readonly ttlMs: number }) {
    this.#parts = parts;
  }

  /** A client of 2026-07-28 got the form; it comes back with a request of its own, or never. */
  sent(approval: string, client: string): void {
    const [oldest] = this.#sent.keys();
    if (this.#sent.size >= mostForms && oldest !== undefined) this.#sent.delete(oldest);
    this.#sent.set(keyOf(approval, client), this.#parts.clock.now() + this.#parts.ttlMs);
  }

  /** True when that client got the form, in the time it had, and it did not come back. Asked once: the next time it gets the form again. */
  takeSent(approval: string, client: string): boolean {
    const key = keyOf(approval, client);
    const until = this.#sent.get(key);
    this.#sent.delete(key);
    return until !== undefined && until > this.#parts.clock.now();
  }

  /** That client sent the form back, with a person's answer or without. */
  answered(approval: string, client: string): void {
    const [oldest] = this.#answered;
    if (this.#answered.size >= mostForms && oldest !== undefined) this.#answered.delete(oldest);
    this.#answered.add(keyOf(approval, client));
  }

  wasAnswered(approval: string, client: string): boolean {
    return this.#answered.has(keyOf(approval, client));
  }

  /** Runs `ask` while the session counts as asked. */
  async during<Answer>(session: string | undefined, form: OpenForm, ask: () => Promise<Answer>): Promise<Answer> {
    const key = session ?? "";
    const forms = this.#inSessions.get(key) ?? new Set();
    this.#inSessions.set(key, forms.add(form));
    try {
      return await ask();
    } finally {
      forms.delete(form);
      if (forms.size === 0) this.#inSessions.delete(key);
    }
  }

  inSession(session: string | null): readonly OpenForm[] {
    return session === null ? [] : [...(this.#inSessions.get(session) ?? [])];
  }
}

const keyOf = (approval: string, client: string) => JSON.stringify([approval, client]);
