// What a benchmark says: figures, each beside its limit and its budget, and lines that show how a cost grows. The limit is
// what the machine itself can do, measured in the same run; runs of both take turns and their ratio is the median, so that
// a noisy minute hits both. A budget is on the value or on the ratio.

export interface Budget { most?: number; least?: number; ratio_most?: number; ratio_least?: number }
export interface Spread { p50: number; p90: number; p99: number; p999: number; max: number }

export interface Figure {
  bench: string;
  name: string;
  value: number;
  unit: string;
  limit?: { what: string; value: number };
  ratio?: number;
  budget?: Budget;
  ok: boolean;
  samples: number[];  // of very many every twentieth part, in order
  spread?: Spread;  // of what took these times
  note?: string;
}

// How a cost grows with how much is stored: with size^exponent.
export interface Growth {
  bench: string;
  name: string;
  of: string;  // what there is more and more of
  unit: string;
  points: { x: number; y: number }[];
  exponent: number;
  most: number;
  ok: boolean;
}

export const figures: Figure[] = [];
export const growths: Growth[] = [];
let bench = "";
export const beginBench = (name: string) => { bench = name; };

export const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
export const percentile = (values: number[], share: number) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;

// --- words -----------------------------------------------------------------------------------------

export function show(value: number, unit: string): string {
  const digits = unit === "/s" || unit === "bytes" || unit === "" || Math.abs(value) >= 1_000 ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 0.1 ? 2 : 3;
  const text = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === "/s" ? `${text}/s` : unit === "" ? text : `${text} ${unit}`;
}

const showRatio = (ratio: number) => (ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2));

export function budgetText({ budget, unit }: Pick<Figure, "budget" | "unit">): string {
  const parts: string[] = [];
  if (budget?.most !== undefined) parts.push(`≤ ${show(budget.most, unit)}`);
  if (budget?.least !== undefined) parts.push(`≥ ${show(budget.least, unit)}`);
  if (budget?.ratio_most !== undefined) parts.push(`ratio ≤ ${budget.ratio_most}`);
  if (budget?.ratio_least !== undefined) parts.push(`ratio ≥ ${budget.ratio_least}`);
  return parts.join(", ");
}

export const ratioText = (figure: Figure) => (figure.ratio === undefined ? "" : showRatio(figure.ratio));
export const limitText = ({ limit, unit }: Figure) => (limit ? `${show(limit.value, unit)} ${limit.what}` : "");

const columns = (name: string, value: string, limit: string, ratio: string, budget: string) =>
  `${name.padEnd(60)} ${value.padStart(13)}  ${limit.padEnd(42)} ${ratio.padStart(6)}  ${budget}`.trimEnd();
export const heading = () => `      ${columns("figure", "value", "limit in the same run", "ratio", "budget")}`;
export const line = (figure: Figure) =>
  `${figure.ok ? "ok  " : "OVER"}  ${columns(figure.name, show(figure.value, figure.unit), limitText(figure), ratioText(figure), budgetText(figure))}${figure.note ? `   (${figure.note})` : ""}`;
export const growthLine = (growth: Growth) =>
  `${growth.ok ? "ok  " : "OVER"}  ${columns(`${growth.name}, by ${growth.of}`, `n^${growth.exponent.toFixed(2)}`,
    growth.points.map(({ x, y }) => `${x >= 1e6 ? `${x / 1e6}M` : `${x / 1e3}k`}: ${show(y, growth.unit)}`).join("  "), "", `≤ n^${growth.most}`)}`;

// --- telling ---------------------------------------------------------------------------------------

export interface Told {
  limit?: { what: string; value: number | number[] };
  ratio?: number;  // if it is not the plain one
  budget?: Budget;
  spread?: Spread;
  note?: string;
}

const short = (value: number) => Number(value.toPrecision(5));
const thin = (samples: number[]) => (samples.length <= 30 ? samples : Array.from({ length: 21 }, (_, i) => percentile(samples, i / 20))).map(short);

// `value`: of several runs, all of them; the median is shown. If there are as many of the limit, the ratio is the median of
// the pairs'.
export function report(name: string, value: number | number[], unit: string, told: Told = {}) {
  const samples = Array.isArray(value) ? value : [value];
  const figure: Figure = { bench, name, value: short(median(samples)), unit, ok: true, samples: thin(samples) };
  if (told.limit) {
    const limits = Array.isArray(told.limit.value) ? told.limit.value : [told.limit.value];
    figure.limit = { what: told.limit.what, value: short(median(limits)) };
    figure.ratio = short(told.ratio ?? (limits.length === samples.length
      ? median(samples.map((ours, i) => ours / limits[i]!)) : figure.value / figure.limit.value));
  }
  if (told.budget) figure.budget = told.budget;
  if (told.spread) figure.spread = told.spread;
  if (told.note) figure.note = told.note;
  const { most = Infinity, least = -Infinity, ratio_most = Infinity, ratio_least = -Infinity } = told.budget ?? {};
  const ratio = figure.ratio ?? NaN;
  figure.ok = figure.value <= most && figure.value >= least && (told.budget?.ratio_most === undefined || ratio <= ratio_most) &&
    (told.budget?.ratio_least === undefined || ratio >= ratio_least);
  figures.push(figure);
  console.log(line(figure));
}

// By the last two sizes: a page that fills up first and is full from then on is flat. Noise may make what is flat grow by
// three quarters from one size to the next; anything steeper than n log n is over.
export const flat = 0.25, nearlyLinear = 1.1;
export function reportGrowth(name: string, of: string, unit: string, points: { x: number; y: number }[], most: number) {
  const before = points.at(-2)!, last = points.at(-1)!;
  const exponent = Math.max(0, Math.log(last.y / before.y) / Math.log(last.x / before.x));
  const growth: Growth = { bench, name, of, unit, points, exponent, most, ok: exponent <= most };
  growths.push(growth);
  console.log(growthLine(growth));
}
