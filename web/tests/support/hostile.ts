// An answer that tries everything: code that would run, links that would run, elements that would load, and sizes that
// would stop a page.
const wrong = 'globalThis.pwned = true';

export const hostileMarkdown: readonly string[] = [
  `<script>${wrong}</script>\n\n<img src=x onerror="${wrong}">\n\n<svg class="evil" onload="${wrong}"></svg>\n\n`,
  `<iframe src="javascript:${wrong}"></iframe>\n\n<form action="https://evil.example"><button>Sign in</button></form>\n\n`,
  `<a href="javascript:${wrong}" style="position:fixed;inset:0">over everything</a>\n\n<base href="https://evil.example/">\n\n`,
  `[click](javascript:${wrong}) [click](JaVaScRiPt:${wrong}) [click](data:text/html,<script>${wrong}</script>) [vb](vbscript:x)\n\n`,
  `[click](&#106;avascript:${wrong}) <javascript:${wrong}> [good](https://example.com/a?b=1&c="2") [mail](mailto:a@example.com)\n\n`,
  `![picture](https://evil.example/tracker.png) ![picture](javascript:${wrong})\n\n`,
  `**bold <img src=x onerror=${wrong}>** \`code <script>${wrong}</script>\`\n\n`,
  `\`\`\`"><img src=x onerror=${wrong}>\nlanguage\n\`\`\`\n\n`,
  `${'> '.repeat(200)}deep\n\n${'- '.repeat(100)}deeper\n\n`,
  `${'longword'.repeat(2000)}\n\n`,
  `| a | b |\n|---|---|\n${'| <b onclick=x>cell</b> | `code` |\n'.repeat(5000)}\n\n`,
  ...codeInPieces(),
];

/** A megabyte of code, as a stream brings it. */
function codeInPieces(): readonly string[] {
  const piece = `${'const x = "<script>alert(1)</script>"; // '.padEnd(99, 'x')}\n`.repeat(100);
  return ['```js\n', ...Array.from({ length: 101 }, () => piece), '```\n'];
}
