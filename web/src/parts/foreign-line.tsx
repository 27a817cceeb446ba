import { Link } from "@tanstack/react-router";
import { visibleText } from "../api/client.ts";

interface ForeignLineProps {
  /** What a conversation read first that nobody here wrote. */
  readonly foreign: { readonly callId: string; readonly place?: string | undefined; readonly tool: string } | undefined;
}

/** Says that a call comes from a conversation that strangers may steer. */
export function ForeignLine({ foreign }: ForeignLineProps) {
  if (!foreign) return null;
  return (
    <p className="small">
      This conversation read content from {visibleText(hostOf(foreign.place) ?? foreign.place ?? foreign.tool)} before:{" "}
      <Link to="/calls/$id" params={{ id: foreign.callId }}>
        the call that read it
      </Link>
    </p>
  );
}

function hostOf(place: string | undefined): string | undefined {
  return place === undefined ? undefined : URL.parse(place)?.hostname || undefined;
}
