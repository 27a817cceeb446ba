import type { ReactNode, Ref, UIEventHandler } from "react";

interface ScrollBoxProps {
  readonly label: string;
  readonly className?: string | undefined;
  readonly ref?: Ref<HTMLDivElement>;
  readonly onScroll?: UIEventHandler<HTMLDivElement>;
  readonly children: ReactNode;
}

/** What may not fit, to be scrolled by mouse and by keyboard. */
export function ScrollBox({ label, children, ...rest }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, no key scrolls what does not fit (WCAG 2.1.1)
    <div role="group" aria-label={label} tabIndex={0} {...rest}>
      {children}
    </div>
  );
}
