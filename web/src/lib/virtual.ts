// Which rows of a long list are drawn. Heights are known once a row was drawn and guessed before; the arithmetic is
// here, apart from any DOM.

export const guessedHeightPx = 120;

export interface Window {
  readonly from: number;
  readonly to: number;
  readonly abovePx: number;
  readonly belowPx: number;
}

/** The rows that touch the view, with half a screen more on either side so that scrolling finds them ready. */
export function visibleWindow(heights: readonly number[], topPx: number, viewPx: number): Window {
  const margin = Math.max(400, viewPx / 2);
  let from = 0;
  let abovePx = 0;
  while (from < heights.length && abovePx + heights[from]! < topPx - margin) abovePx += heights[from++]!;
  let to = from;
  let end = abovePx;
  while (to < heights.length && end < topPx + viewPx + margin) end += heights[to++]!;
  let belowPx = 0;
  for (let at = to; at < heights.length; at++) belowPx += heights[at]!;
  return { from, to, abovePx, belowPx };
}

export function offsetOf(heights: readonly number[], index: number): number {
  let px = 0;
  for (let at = 0; at < index && at < heights.length; at++) px += heights[at]!;
  return px;
}
