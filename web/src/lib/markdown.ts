// Markdown as safe HTML, block by block, so that a streamed answer redraws only its last block. Raw HTML is shown as
// the text it is, links lead only to http, https and mail, pictures become links, and DOMPurify has the last word.
// Loaded when the first answer is shown: it is not part of the first load.
import DOMPurify from 'dompurify';
import { Marked, type Token, type Tokens } from 'marked';
import { LazyCode } from './lazy.svelte.ts';

/** Asked for by the first code that could have colours; whoever drew it without them draws it again. */
export const colours = new LazyCode(() => import('./code_colours.ts'));

/** Colours are a help for short code; colouring a megabyte would stop the page. */
const longestColoured = 30_000;
const mostTableRows = 500;

export interface HtmlBlock {
  readonly source: string;
  readonly html: string;
  /** Where the block ends in the text. */
  readonly end: number;
  /** False if something may have been left out because the text was still being written. */
  readonly isWhole: boolean;
}

/** The renderer below has no argument for it. */
let isBeingWritten = false;

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ href, text }) => linkTo(href, escaped(text || 'Picture')),
    link({ href, tokens }) {
      return linkTo(href, this.parser.parseInline(tokens));
    },
    // One page title: the headings of an answer begin below it.
    heading({ tokens, depth }) {
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    code: ({ text, lang }) => codeBlock(text, (lang ?? '').trim().split(/\s/)[0] ?? ''),
    table(token) {
      const rows = token.rows.slice(0, mostTableRows);
      const cell = (one: Tokens.TableCell, tag: string) => {
        const align = one.align === 'right' || one.align === 'center' ? ` class="${one.align}"` : '';
        return `<${tag}${align}>${this.parser.parseInline(one.tokens)}</${tag}>`;
      };
      // A head without words heads nothing.
      const head = token.header.map((one) => cell(one, one.text.trim() === '' ? 'td' : 'th')).join('');
      const body = rows.map((row) => `<tr>${row.map((one) => cell(one, 'td')).join('')}</tr>`).join('');
      const left = token.rows.length - rows.length;
      const note = left > 0 ? `<p>Showing ${rows.length} of ${token.rows.length} rows. Copy the answer to get all.</p>` : '';
      const table = `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
      return `<div class="wide" tabindex="0" role="group" aria-label="Table">${table}</div>${note}`;
    },
  },
});

/** A whole text. `before` are blocks of an earlier state: those that did not change are taken over as they are. */
export function htmlBlocks(text: string, before: readonly HtmlBlock[] = []): readonly HtmlBlock[] {
  return blocksFrom(text, 0, before, 0);
}

/** A text that is still being written. All but the last two blocks are taken as finished, so drawing costs what the end
    costs, however long the text is. What a later line changes in an earlier block shows when the text is whole. */
export function htmlBlocksSoFar(text: string, before: readonly HtmlBlock[]): readonly HtmlBlock[] {
  const kept = before.slice(0, -2);
  isBeingWritten = true;
  try {
    return [...kept, ...blocksFrom(text, kept.at(-1)?.end ?? 0, before, kept.length)];
  } finally {
    isBeingWritten = false;
  }
}

function blocksFrom(text: string, from: number, before: readonly HtmlBlock[], index: number): readonly HtmlBlock[] {
  const tokens = marked.lexer(text.slice(from));
  const { links } = tokens;
  const blocks: HtmlBlock[] = [];
  let end = from;
  for (const token of tokens) {
    end += token.raw.length;
    if (token.type === 'space') continue;
    const old = before[index + blocks.length];
    const isSame = old?.source === token.raw && old.isWhole === !isBeingWritten;
    const html = isSame ? old.html : clean(marked.parser(Object.assign([token as Token], { links })));
    blocks.push({ source: token.raw, html, end, isWhole: !isBeingWritten });
  }
  return blocks;
}

function clean(html: string): string {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [
      'a', 'b', 'blockquote', 'br', 'button', 'code', 'del', 'div', 'em', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'pre',
      'span', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
    ],
    ALLOWED_ATTR: ['aria-label', 'class', 'href', 'rel', 'role', 'start', 'tabindex', 'target', 'type'],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    ALLOW_DATA_ATTR: false,
  });
}

function linkTo(href: string, label: string): string {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return label;
  return `<a href="${escaped(href)}" target="_blank" rel="noopener noreferrer">${label}</a>`;
}

function codeBlock(text: string, language: string): string {
  const canColour = language !== '' && text.length <= longestColoured;
  if (canColour) void colours.get();
  // Nobody reads a megabyte while it is being written: its end shows that it goes on.
  const shown = isBeingWritten && text.length > longestColoured ? `…${text.slice(-longestColoured)}` : text;
  const code = (canColour && colours.loaded?.coloured(text, language)) || escaped(shown);
  const name = `<span class="lang">${escaped(language || 'text')}</span>`;
  const copy = '<button type="button" class="copy">Copy</button>';
  const pre = `<pre tabindex="0" role="group" aria-label="Code"><code>${code}</code></pre>`;
  return `<div class="code"><div class="code-head">${name}${copy}</div>${pre}</div>`;
}

function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (sign) => signs[sign] ?? sign);
}
