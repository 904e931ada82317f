// Where the focus goes when a row disappears under it: to the next one, else to the title of the page. Without this a
// keyboard would start again at the top of the document.

/** Remembers the neighbour now; the answer is called once the row may be gone. */
export function focusNear(row: Element | null): () => void {
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling ?? null;
  return () => {
    if (row === null || row.isConnected) return;
    const next = neighbour?.isConnected ? neighbour.querySelector<HTMLElement>('button, a[href]') : null;
    (next ?? document.querySelector<HTMLElement>('main h1'))?.focus();
  };
}
