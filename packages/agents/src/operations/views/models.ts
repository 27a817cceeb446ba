import type { Rendering } from "@toolwright/engine/shell";

interface Models {
  readonly usual: string;
  readonly items: readonly {
    readonly provider: string;
    readonly needs: readonly { readonly kind: string; readonly name: string; readonly isThere: boolean }[];
  }[];
}

interface Checks {
  readonly items: readonly { readonly name: string; readonly ok: boolean; readonly message: string }[];
}

export const modelsView: Rendering<Models> = {
  show: ({ usual, items }) => [
    { head: ["provider", "needs"], rows: items.map(({ provider, needs }) => [provider, needs.map(describe).join(", ") || "nothing"]) },
    "",
    `The usual model is ${usual}.`,
  ],
  json: (models) => models,
};

export const modelChecksView: Rendering<Checks> = {
  show: ({ items }) => items.map(({ name, ok, message }) => `${ok ? "ok     " : "missing"} ${name}: ${message}`),
  ends({ items }) {
    const isOk = (wanted: string) => items.some(({ name, ok }) => name === wanted && ok);
    if (!isOk("reach")) return "unavailable";
    return isOk("tools") ? "done" : "failed";
  },
};

const describe = ({ kind, name, isThere }: Models["items"][number]["needs"][number]) => `${kind} ${name}${isThere ? "" : " (missing)"}`;
