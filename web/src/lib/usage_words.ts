// Amounts as a person reads them.

/** "$0.04"; small amounts keep two digits that say something, because most calls cost less than a cent. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return 'under $0.0001';
  if (usd < 0.1) return `$${Number(usd.toPrecision(2))}`;
  return `$${usd.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** What models cost, as far as their prices are known. */
export function costWords({ usd, priceUnknown }: { readonly usd: number; readonly priceUnknown: boolean }): string {
  if (!priceUnknown) return dollars(usd);
  return usd === 0 ? 'Price not known' : `at least ${dollars(usd)}`;
}

/** "820", "1.9k", "12k", "3.4M". */
export function short(count: number): string {
  const scaled = (value: number, unit: string) => `${value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value)}${unit}`;
  if (count < 1000) return String(Math.round(count));
  return count < 999_500 ? scaled(count / 1000, 'k') : scaled(count / 1e6, 'M');
}

export function tokenWords(count: number): string {
  return count === 1 ? '1 token' : `${short(count)} tokens`;
}

const shortDay = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
const shortDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const asDate = (day: string): Date => new Date(`${day}T12:00:00Z`);

/** "Mon, 16 Nov" of "2026-11-16": a date is a date in every zone. */
export const dateName = (day: string): string => shortDay.format(asDate(day));
export const briefDate = (day: string): string => shortDate.format(asDate(day));
