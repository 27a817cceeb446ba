import { Failure } from "../parts/failure.tsx";

/** A page that broke: everything around it works on. */
export function PageFailure({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  return <Failure error={error} retry={reset ?? (() => location.reload())} />;
}
