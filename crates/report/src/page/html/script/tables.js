// Tables: sorted by a column, and copied as CSV or Markdown.

const textOf = (cell, isWanted) => [...cell.childNodes].filter(isWanted).map((it) => it.textContent).join("")
  .replaceAll("\u00a0", " ").trim();
// A cell has a value and, where its interval is known, the interval in <small>.
const isInterval = (node) => node.nodeName === "SMALL";
const valueOf = (cell) => textOf(cell, (it) => !isInterval(it));
const intervalOf = (cell) => textOf(cell, isInterval);

const FIGURE = /^[<>≤≥~±×]?\s*([-−+]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*([^\s(–*]*)/i;
const isUnknown = (text) => words.unknown.includes(text);

// The number of a figure with its unit; NaN for other text.
const numberOf = (text) => {
  const [, digits, unit] = FIGURE.exec(text) ?? [];
  return Number(digits?.replace("−", "-").replaceAll(",", "")) * (unit === "" ? 1 : words.units[unit]);
};

const inOrder = (rows, column, sign) => {
  const cells = rows.map((row) => ({ row, text: valueOf(row.cells[column]) }));
  const known = cells.filter((it) => !isUnknown(it.text));
  known.forEach((it) => { it.number = numberOf(it.text); });
  const compared = known.some((it) => Number.isNaN(it.number))
    ? (a, b) => a.text.localeCompare(b.text, document.documentElement.lang, { numeric: true })
    : (a, b) => a.number - b.number;
  known.sort((a, b) => sign * compared(a, b));
  return [...known, ...cells.filter((it) => isUnknown(it.text))].map((it) => it.row);
};

// Ascending, then descending, then the order of the page. Rows with equal cells keep their order.
const sortable = (table) => {
  const body = table.tBodies[0];
  const original = [...body.rows];
  if (original.length < 2 || !table.tHead) return;
  const heads = [...table.tHead.rows[0].cells];
  const sort = (head, column) => {
    const direction = { null: "ascending", ascending: "descending" }[head.ariaSort] ?? null;
    heads.forEach((other) => { other.ariaSort = null; });
    head.ariaSort = direction;
    table.classList.toggle("sorted", direction !== null);
    const sign = direction === "descending" ? -1 : 1;
    body.append(...(direction ? inOrder([...body.rows], column, sign) : original));
  };
  heads.forEach((head, column) => {
    if (head.nodeName !== "TH") return;
    const pressed = button(head.textContent, head.textContent, () => sort(head, column));
    pressed.className = "sort";
    head.replaceChildren(pressed);
  });
};

// Lines of cells; a column with intervals becomes two columns.
const linesOf = (table) => {
  const heads = table.tHead ? [...table.tHead.rows[0].cells].map((cell) => cell.textContent) : [];
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
  const width = Math.max(heads.length, ...rows.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, column) =>
    rows.some((row) => row[column] && intervalOf(row[column])));
  const spread = (cells, value, interval) => cells.flatMap((cell, column) =>
    columns[column] ? [value(cell), interval(cell)] : [value(cell)]);
  return {
    head: spread(heads, (head) => head, (head) => `${head}: ${words.interval}`),
    rows: rows.map((row) => spread(row, valueOf, intervalOf)),
  };
};

// A spreadsheet would run a name that begins like a formula.
const FORMULA = /^[=@\t\r]|^[+-](?![\d.,]+( ?%| [a-zµ/]+)?$)/i;
const csvCell = (text) => {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const csvOf = (table) => {
  const { head, rows } = linesOf(table);
  const lines = head.some(Boolean) ? [head, ...rows] : rows;
  return lines.map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
};

// GitHub looks for @name and #12 when the backslashes are gone, and not across a comment.
const markdownCell = (text) => text.replace(/[\\`*_[\]<>#|~&!@$]/g, "\\$&")
  .replace(/@(?=[\p{L}\p{N}]|$)|#(?=\d)/gu, "$&\x3c!-- -->").replace(/\s+/g, " ");
const markdownOf = (table) => {
  const { head, rows } = linesOf(table);
  const line = (cells) => `| ${cells.join(" | ")} |\n`;
  const width = rows[0]?.length ?? head.length;
  const first = head.length ? head : Array(width).fill("");
  return line(first.map(markdownCell)) + line(Array(width).fill("---"))
    + rows.map((row) => line(row.map(markdownCell))).join("");
};

const phone = matchMedia("screen and (max-width:40rem)");
// On a phone the heads of columns are out of sight.
const reachHeads = () => allIn(document, ".sort").forEach((each) => { each.tabIndex = phone.matches ? -1 : 0; });

for (const table of allIn(document, ".wide > table")) {
  sortable(table);
  table.parentElement.before(make("div", "tools",
    button("CSV", words.copyCsv, ({ target }) => copy(csvOf(table), target)),
    button("Markdown", words.copyMarkdown, ({ target }) => copy(markdownOf(table), target))));
}
phone.onchange = reachHeads;
reachHeads();
