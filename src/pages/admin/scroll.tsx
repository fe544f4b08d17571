import type { ComponentChildren } from 'preact';

/** Around a table that may have nothing to focus: the keyboard scrolls it where it is too wide. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scroll" role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
