// The page for people: build/bench/report.html, one file, nothing to load. Each figure with its limit and how much of its
// budget it uses, latencies from the median to the slowest, and how costs grow. Colours as in the product: ink and paper;
// the alarm colour only for what is over.
import { budgetText, limitText, ratioText, show, type Figure, type Growth, type Spread } from "./figures.ts";
import type { Machine } from "./machine.ts";

export interface Results extends Machine {
  date: string;
  sizes: "quick" | "full";
  seconds: number;
  figures: Figure[];
  growths: Growth[];
  skipped: { bench: string; reason: string }[];
  failed: { bench: string; reason: string }[];
  took: Record<string, number>;  // seconds of each benchmark
}

const chapters: [title: string, benches: RegExp][] = [
  ["Start, idle and size", /^(binary_size|start_time|idle)/],
  ["Requests and durable writes", /^(throughput|durable_writes|resolve|long_conversation)/],
  ["Turns", /^(turn|heartbeat)_/],
  ["Streaming", /^(streaming|websocket)_/],
  ["Automations", /^jobs_/],
  ["Memory, rules and activity", /^(memory|lifecycle|activity)_/],
  ["Web app", /^web_/],
];

const text = (words: string) => words.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

// --- figures ---------------------------------------------------------------------------------------

// The part of its budget that a figure uses; of two budgets the tighter one.
function used({ value, ratio = NaN, budget }: Figure): number | undefined {
  const parts = [
    budget?.most && value / budget.most, budget?.least && budget.least / value,
    budget?.ratio_most && ratio / budget.ratio_most, budget?.ratio_least && budget.ratio_least / ratio,
  ].filter((part) => part !== undefined);
  return parts.length ? Math.max(...parts.map((part) => Math.max(0, part))) : undefined;
}

function meter(figure: Figure): string {
  const share = used(figure);
  if (share === undefined) return "";
  const width = Math.min(share, 1.25) / 1.25 * 100, percent = Math.round(share * 100);
  return `<svg class="meter ${figure.ok ? "" : "over"}" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${percent} % of the budget">
    <rect class="track" width="80" height="8"/><rect class="fill" width="${width.toFixed(1)}" height="8"/><line x1="80" x2="80" y1="0" y2="8"/></svg>`;
}

function row(figure: Figure): string {
  const cell = (label: string, words: string) => `<td data-label="${label}">${text(words)}</td>`;
  return `<tr class="${figure.ok ? "" : "over"}"><th scope="row">${text(figure.name)}${figure.note ? `<small>${text(figure.note)}</small>` : ""}</th>
    <td class="value" data-label="value">${text(show(figure.value, figure.unit))}</td>${cell("limit", limitText(figure))}${cell("ratio", ratioText(figure))}${cell("budget", budgetText(figure))}
    <td class="state">${meter(figure)}<span>${figure.budget ? (figure.ok ? "ok" : "over") : ""}</span></td></tr>`;
}

function chapter(title: string, figures: Figure[]): string {
  if (figures.length === 0) return "";
  return `<section><h2>${title}</h2><table><thead><tr><th>figure</th><th>value</th><th>limit, same run</th><th>ratio</th><th>budget</th><th>of the budget</th></tr></thead>
    <tbody>${figures.map(row).join("\n")}</tbody></table>${latencies(figures)}</section>`;
}

// --- plots -----------------------------------------------------------------------------------------

const us = (value: number) => (value >= 1e6 ? `${+(value / 1e6).toPrecision(3)} s` : value >= 1e3 ? `${+(value / 1e3).toPrecision(3)} ms` : `${+value.toPrecision(3)} µs`);

// From the median to the slowest, on one logarithmic scale for all of a chapter.
function latencies(figures: Figure[]): string {
  const shown = figures.filter((figure): figure is Figure & { spread: Spread } => figure.spread !== undefined);
  if (shown.length === 0) return "";
  const lowest = Math.min(...shown.map(({ spread }) => spread.p50)), highest = Math.max(...shown.map(({ spread }) => spread.max));
  const from = 10 ** Math.floor(Math.log10(lowest)), to = 10 ** Math.ceil(Math.log10(highest));
  const width = 380, left = 20, right = 24, high = 40, height = shown.length * high + 24;
  const x = (value: number) => left + (width - left - right) * Math.log10(value / from) / Math.log10(to / from);
  const decades = Array.from({ length: Math.round(Math.log10(to / from)) + 1 }, (_, i) => from * 10 ** i);
  const grid = decades.map((value) => `<line class="grid" x1="${x(value)}" x2="${x(value)}" y1="0" y2="${height - 20}"/><text class="tick" x="${x(value)}" y="${height - 6}" text-anchor="middle">${us(value)}</text>`);
  const bars = shown.map(({ name, spread }, i) => {
    const y = i * high + 30;
    const mark = (value: number, label: string, size: number) => `<circle cx="${x(value)}" cy="${y}" r="${size}"><title>${label} ${us(value)}</title></circle>`;
    return `<text class="label" x="0" y="${y - 12}">${text(name)}</text>
      <line class="thin" x1="${x(spread.p50)}" x2="${x(spread.max)}" y1="${y}" y2="${y}"/><line class="thick" x1="${x(spread.p50)}" x2="${x(spread.p99)}" y1="${y}" y2="${y}"/>
      ${mark(spread.p50, "p50", 5)}${mark(spread.p90, "p90", 3)}${mark(spread.p99, "p99", 4)}${mark(spread.p999, "p99.9", 3)}${mark(spread.max, "slowest", 2)}`;
  });
  return `<figure><svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="latencies">${grid.join("")}${bars.join("")}</svg>
    <figcaption>Dots from left to right: p50, p90, p99, p99.9, slowest. Logarithmic.</figcaption></figure>`;
}

const amount = (x: number) => (x >= 1e6 ? `${x / 1e6}M` : x >= 1e3 ? `${x / 1e3}k` : `${x}`);

// One cost over sizes, both logarithmic, so that a slope is an exponent; dashed is what n log n would be.
function growthPlot({ name, of, unit, points, exponent, ok }: Growth): string {
  const width = 300, height = 170, left = 8, right = 34, top = 26, bottom = 24;
  const first = points[0]!, last = points.at(-1)!;
  const nLogN = first.y * last.x * Math.log2(last.x) / (first.x * Math.log2(first.x));
  const low = Math.min(...points.map(({ y }) => y)) / 2, high = Math.max(...points.map(({ y }) => y), Math.min(nLogN, first.y * 100)) * 1.5;
  const px = (x: number) => left + 26 + (width - left - 26 - right) * Math.log(x / first.x) / Math.log(last.x / first.x);
  const py = (y: number) => top + (height - top - bottom) * (1 - Math.log(y / low) / Math.log(high / low));
  const ends = `${px(first.x)},${py(first.y)} ${px(last.x)},${py(nLogN)}`;
  return `<figure class="small ${ok ? "" : "over"}"><svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${text(`${name} by ${of}: grows with n to the ${exponent.toFixed(2)}`)}">
    <clipPath id="c${Math.round(px(last.x))}"><rect x="0" y="${top}" width="${width}" height="${height - top - bottom}"/></clipPath>
    <polyline class="bound" points="${ends}" clip-path="url(#c${Math.round(px(last.x))})"/>
    <line class="axis" x1="${left}" x2="${width - 4}" y1="${height - bottom}" y2="${height - bottom}"/>
    <polyline class="line" points="${points.map(({ x, y }) => `${px(x)},${py(y)}`).join(" ")}"/>
    ${points.map(({ x, y }) => `<circle cx="${px(x)}" cy="${py(y)}" r="4"/><text class="label" x="${px(x)}" y="${py(y) - 10}" text-anchor="middle">${text(show(y, unit))}</text><text class="tick" x="${px(x)}" y="${height - 8}" text-anchor="middle">${amount(x)}</text>`).join("")}
  </svg><figcaption><b>${text(name)}</b>, by ${of}: n<sup>${exponent.toFixed(2)}</sup>${ok ? "" : ", over"}</figcaption></figure>`;
}

// --- the page --------------------------------------------------------------------------------------

const style = `
:root { color-scheme: light dark;
  --bg: light-dark(#fcfbf8, #10121f); --surface: light-dark(#ffffff, #171a2b); --sunken: light-dark(#f4f1ea, #0c0e19);
  --ink: light-dark(#1b1d2e, #eceae4); --ink-2: light-dark(#484b60, #b9bacb); --ink-3: light-dark(#63667a, #9597ae);
  --line: light-dark(#e7e3d9, #252940); --line-strong: light-dark(#d5d0c3, #363b5a); --alarm: light-dark(#a8321f, #ff9583);
  --font: ui-sans-serif, -apple-system, "Segoe UI", Inter, Roboto, "Noto Sans", system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1120px; padding: 32px 20px 64px; background: var(--bg); color: var(--ink); font: 15px/24px var(--font); }
h1 { font-size: 24px; line-height: 32px; margin: 0 0 4px; } h2 { font-size: 17px; line-height: 28px; margin: 40px 0 8px; }
p { margin: 0 0 8px; color: var(--ink-2); max-width: 72ch; } small { display: block; color: var(--ink-3); font-size: 12px; line-height: 16px; font-weight: 400; }
table { width: 100%; border-collapse: collapse; background: var(--surface); border: 1px solid var(--line-strong); border-radius: 12px; border-spacing: 0; overflow: hidden; table-layout: fixed; font-size: 13px; line-height: 20px; }
th, td { text-align: left; padding: 8px 12px; border-top: 1px solid var(--line); vertical-align: top; font-variant-numeric: tabular-nums; }
thead th { border-top: 0; color: var(--ink-3); font-weight: 500; } tbody th { font-weight: 500; } th:nth-child(1) { width: 32%; } th:nth-child(2) { width: 11%; } th:nth-child(3) { width: 21%; } th:nth-child(4) { width: 6%; } th:nth-child(5) { width: 13%; } td.value { font-weight: 600; white-space: nowrap; }
td { color: var(--ink-2); } td.value { color: var(--ink); } tr.over .value, tr.over .state span { color: var(--alarm); font-weight: 600; }
.state { white-space: nowrap; } .meter { width: 110px; height: 8px; margin-right: 8px; vertical-align: middle; }
.meter .track { fill: var(--sunken); } .meter .fill { fill: var(--ink-3); } .meter.over .fill { fill: var(--alarm); } .meter line { stroke: var(--ink); stroke-width: 1; vector-effect: non-scaling-stroke; }
figure { margin: 16px 0 0; padding: 12px; background: var(--surface); border: 1px solid var(--line-strong); border-radius: 12px; }
figcaption { color: var(--ink-3); font-size: 12px; line-height: 16px; margin-top: 4px; } .small figcaption b { color: var(--ink); font-weight: 600; } figure.over figcaption { color: var(--alarm); }
.plot { display: block; width: 100%; max-width: 480px; height: auto; } .plot circle { fill: var(--ink); } .plot .label { fill: var(--ink-2); font-size: 11px; } .plot .tick { fill: var(--ink-3); font-size: 11px; }
.plot .grid, .plot .axis { stroke: var(--line); } .plot .thin { stroke: var(--line-strong); stroke-width: 2; } .plot .thick { stroke: var(--ink-3); stroke-width: 4; }
.plot .line { fill: none; stroke: var(--ink); stroke-width: 2; } .plot .bound { fill: none; stroke: var(--line-strong); stroke-width: 1.5; stroke-dasharray: 4 4; } .over .line { stroke: var(--alarm); } .over .plot circle { fill: var(--alarm); }
.grid-of { display: grid; grid-template-columns: repeat(auto-fill, minmax(260px, 1fr)); gap: 12px; } .grid-of figure { margin: 0; }
dl { display: flex; flex-wrap: wrap; gap: 4px 24px; margin: 12px 0 0; font-size: 13px; } dt { color: var(--ink-3); } dd { margin: 0; } dl div { display: flex; gap: 8px; }
@media (max-width: 720px) { thead { display: none; } table, tbody, tr, th, td { display: block; width: 100% !important; }
  tbody tr { padding: 10px 0; border-top: 1px solid var(--line); } tbody tr:first-child { border-top: 0; } th, td { border: 0; padding: 2px 14px; white-space: normal; }
  td[data-label]:empty { display: none; } td[data-label]::before { content: attr(data-label) " "; color: var(--ink-3); font-weight: 400; } }
`;

export function page(results: Results): string {
  const { figures, growths, skipped, failed, machine } = results;
  const over = figures.filter(({ ok }) => !ok).length + growths.filter(({ ok }) => !ok).length;
  const budgets = figures.filter(({ budget }) => budget).length + growths.length;
  const facts = { machine: `${machine.cpu}, ${machine.cores} cores, ${machine.memory_gb} GB, ${machine.disk}`, system: `${results.system}, Linux ${results.kernel}`,
    commit: results.commit, date: results.date.slice(0, 16).replace("T", " ") + " UTC", sizes: results.sizes, took: `${Math.round(results.seconds / 60)} min` };
  const missing = [...failed.map((one) => ({ ...one, how: "failed" })), ...skipped.map((one) => ({ ...one, how: "skipped" }))];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>rouse: benchmark</title><style>${style}</style></head><body>
<h1>rouse: benchmark</h1>
<p>${over === 0 ? `All ${budgets} budgets hold.` : `${over} of ${budgets} figures are over their budget.`} Each figure stands beside its limit: what the same machine did in the same run with nothing but the bare work. Ratios are medians of runs that took turns.</p>
<dl>${Object.entries(facts).map(([name, words]) => `<div><dt>${name}</dt><dd>${text(words)}</dd></div>`).join("")}</dl>
${chapters.map(([title, benches]) => chapter(title, figures.filter(({ bench }) => benches.test(bench)))).join("\n")}
${growths.length ? `<section><h2>How costs grow</h2><p>Both axes are logarithmic; dashed is n log n.</p><div class="grid-of">${growths.map(growthPlot).join("\n")}</div></section>` : ""}
${missing.length ? `<section><h2>Not measured</h2>${missing.map(({ bench, how, reason }) => `<p>${text(bench)} ${how}: ${text(reason)}</p>`).join("")}</section>` : ""}
</body></html>
`;
}
