import { Modal } from "@mantine/core";
import { type AboutNow, Explained } from "./explained.tsx";
import { Recorded } from "./recorded.tsx";

/** A call that was made, or what would be decided now. */
export type About = { readonly call: string } | AboutNow;

interface WhyPanelProps {
  readonly about: About;
  /** Of the tool. */
  readonly name: string;
  readonly close: () => void;
}

/** Why something is decided so. A call that was made is told as it was decided then. */
export function WhyPanel({ about, name, close }: WhyPanelProps) {
  return (
    <Modal opened onClose={close} size="lg" title={`Why: ${name}`} closeButtonProps={{ "aria-label": "Close" }}>
      {"call" in about ? <Recorded call={about.call} /> : <Explained about={about} />}
    </Modal>
  );
}
