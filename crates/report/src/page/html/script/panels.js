// Panels drawn again after a zoom, on other axes, or without some of the targets. The elements of the
// drawing stay; they move.

const INSET = 10;
const LETTERS = 12;
const fixed = (number) => number.toFixed(1);
// A path: `d` before a template rounds its numbers.
const d = (parts, ...numbers) => String.raw(parts, ...numbers.map(fixed));

const inSvg = (parent, tag, attributes, text = "") => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, typeof value === "number" ? fixed(value) : value);
  }
  made.textContent = text;
  parent.append(made);
  return made;
};

const show = (node, isShown) => node.setAttribute("display", isShown ? "inline" : "none");
const move = (node, x, y) => node.setAttribute("transform", d`translate(${x} ${y})`);

const boxOf = (element) => element.dataset.box.split(" ").map(Number);
const pointOf = ([x, y = null, low = null, high = null, detail = null]) => ({ x, y, low, high, detail });

// Numbers of the horizontal axis, as in the drawing that the page contains.
const acrossOf = (data) => {
  const points = data.panels.flatMap((panel) => panel.series).flatMap((series) => series.points);
  return [...points.filter((it) => it.y !== null).map((it) => it.x), ...(data.span ?? [])];
};

const axisOf = (axis, wish) => {
  if (wish === "drawn" || (wish === "log") === axis.log) return axis;
  // Times and rates begin at 0 on a linear axis, ratios do not.
  return { ...axis, log: wish === "log", zero: wish !== "log" && (axis.zero || Boolean(axis.marks.unit)) };
};

// Settling times as one path, each at least 1 wide; those outside the visible range are left out.
const settlingOf = (ranges, x, [left, top, right, bottom]) => ranges
  .map((range) => range.map(x.place))
  .map(([from, to]) => [Math.max(left, Math.min(from, to - 1)), Math.min(right, to)])
  .filter(([from, to]) => from < to)
  .map(([from, to]) => d`M${from} ${top}H${to}V${bottom}H${from}Z`)
  .join("");

const drawBackground = (group, panel, x, y, settling, box) => {
  const [left, top, right, bottom] = box;
  group.replaceChildren();
  const path = (name, shape) => inSvg(group, "path", { class: name, d: shape });
  const unmeasured = settlingOf(settling, x, box);
  if (unmeasured) path("shade settling", unmeasured);
  for (const border of panel.borders.filter(x.has)) path("border", d`M${x.place(border)} ${top}V${bottom}`);
  let above = Infinity;
  for (const [at, name] of y.marks) {
    path("rule", d`M${left} ${at}H${right}`);
    if (above - at < LETTERS) continue;
    inSvg(group, "text", { x: left - 8, y: at + 4, "text-anchor": "end", class: "soft num" }, name);
    above = at;
  }
  const inside = (it) => Math.min(bottom, Math.max(top, it));
  const [low, high] = (panel.shaded ?? []).map(y.place);
  if (low != null && high != null) {
    path("shade", d`M${left} ${inside(low)}H${right}V${inside(high)}H${left}Z`);
  }
  const level = y.place(panel.level);
  if (level !== null && y.has(panel.level)) path("level", d`M${left} ${level}H${right}`);
};

const pathsOf = (points, x, y) => {
  let line = "", thin = "", band = "", to = "M", run = [];
  const endBand = () => {
    const there = run.map(([at, , high]) => d`${at} ${high}`);
    const back = run.reverse().map(([at, low]) => d`${at} ${low}`);
    if (run.length) band += `M${[...there, ...back].join("L")}Z`;
    run = [];
  };
  for (const point of points) {
    const [at, up] = [x.place(point.x), y.place(point.y)];
    const [low, high] = [y.place(point.low), y.place(point.high)];
    const isPlaced = at !== null && up !== null;
    if (isPlaced) line += to + d`${at} ${up}`;
    to = isPlaced ? "L" : "M";
    if (at === null || low === null || high === null) {
      endBand();
      continue;
    }
    run.push([at, low, high]);
    thin += d`M${at} ${low}V${high}M${at - 3} ${low}h6M${at - 3} ${high}h6`;
  }
  endBand();
  return { line, thin, band };
};

const drawSeries = (group, series, at, { x, y, isHidden, clip }) => {
  show(group, !isHidden);
  if (isHidden) return;
  for (const [name, shape] of Object.entries(pathsOf(series.points, x, y))) {
    const path = group.querySelector(`.${name}`);
    path?.setAttribute("d", shape || "M0 0");
    path?.setAttribute("clip-path", clip ? `url(#${clip})` : "none");
  }
  for (const point of series.points.filter((it) => it.nodes)) {
    const up = y.place(point.y);
    const isShown = up !== null && x.has(point.x);
    show(point.nodes[at], isShown);
    if (isShown) move(point.nodes[at], x.place(point.x), up);
  }
};

const drawNamed = (group, place, x, y) => {
  const isShown = place && x.has(place[0]) && y.place(place[1]) !== null;
  show(group, isShown);
  const ring = group.querySelector(".ring");
  if (!isShown || !ring) return;
  move(group, x.place(place[0]) - ring.cx.baseVal.value, y.place(place[1]) - ring.cy.baseVal.value);
};

const clipOf = (plot, id, [left, top, right, bottom]) => {
  if (!document.getElementById(id)) {
    const clip = inSvg(plot, "clipPath", { id });
    inSvg(clip, "rect", { x: left, y: top, width: right - left, height: bottom - top });
  }
  return id;
};

const drawPanel = (chart, at, number, x) => {
  const { data, state } = chart;
  const plot = allIn(chart.svgs[at], ".plot")[number];
  const [panel, box] = [data.panels[number], boxOf(plot)];
  const [, top, , bottom] = box;
  const isHidden = (series) => state.hidden.has(series.name);
  const points = panel.series.filter((it) => !isHidden(it)).flatMap((it) => it.points);
  const visible = state.range ? points.filter((it) => x.has(it.x)) : points;
  const figures = visible.flatMap((it) => [it.y, it.low, it.high]);
  const numbers = [...figures, panel.level, ...(panel.shaded ?? []), ...(panel.least ?? [])];
  const y = scaleOf(axisOf(panel.y, state.axis), numbers, [bottom, top], bottom - top > 200 ? 5 : 3);
  const settling = state.settling ? data.settling : [];
  drawBackground(plot.querySelector(".axis"), panel, x, y, settling, box);
  const clip = state.range && clipOf(plot, `${chart.figure.id}-c${at}${number}`, box);
  allIn(plot, ".series").forEach((group, place) => {
    const series = panel.series[place];
    drawSeries(group, series, at, { x, y, clip, isHidden: isHidden(series) });
  });
  allIn(plot, ".named").forEach((group, place) => drawNamed(group, panel.named[place], x, y));
  return bottom;
};

const acrossScale = (chart, at = 0) => {
  const [left, , right] = boxOf(chart.svgs[at].querySelector(".plot"));
  const ends = [left + INSET, right - INSET];
  return scaleOf(chart.data.x, acrossOf(chart.data), ends, at ? 4 : 8, chart.state.range);
};

const drawTicks = (svg, x, bottom) => {
  const group = svg.querySelector(".ticks");
  group.replaceChildren();
  let free = -Infinity;
  for (const [at, name] of x.marks) {
    inSvg(group, "path", { class: "edge", d: d`M${at} ${bottom}v4` });
    const half = name.length * LETTERS * 0.28;
    const middle = Math.min(at, svg.viewBox.baseVal.width - half);
    if (middle - half < free) continue;
    inSvg(group, "text", { x: middle, y: bottom + 17, "text-anchor": "middle", class: "soft num" }, name);
    free = middle + half + 6;
  }
};

const redraw = (chart) => chart.svgs.forEach((svg, at) => {
  const x = acrossScale(chart, at);
  const bottoms = chart.data.panels.map((_, number) => drawPanel(chart, at, number, x));
  drawTicks(svg, x, bottoms.at(-1));
  allIn(svg, ".key").forEach((key, place) => key.classList.toggle("off", chart.state.hidden.has(chart.names[place])));
});
