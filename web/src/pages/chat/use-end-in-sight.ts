import { useEffect, useRef } from "react";

/** Pixels above the end that still count as there. */
const tolerance = 80;

/** Keeps the end of the page in sight for somebody who is there; the ref of what grows. Nothing moves below a card that somebody is about to press. */
export function useEndInSight() {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const page = document.documentElement;
    let isAtEnd = true;
    const look = () => {
      isAtEnd = window.innerHeight + window.scrollY >= page.scrollHeight - tolerance;
    };
    const grown = new ResizeObserver(() => {
      const isInUse = content.current?.querySelector("[data-approval]:is(:hover, :focus-within)") != null;
      if (isAtEnd && !isInUse) window.scrollTo(0, page.scrollHeight);
    });
    if (content.current) grown.observe(content.current);
    addEventListener("scroll", look, { passive: true });
    return () => {
      grown.disconnect();
      removeEventListener("scroll", look);
    };
  }, []);
  return content;
}
