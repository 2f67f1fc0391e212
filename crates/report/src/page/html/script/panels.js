// Panels drawn again after a zoom, on other axes, or without some of the targets. The elements of the
// drawing stay; they move.

const INSET = 10;
const LETTERS = 12;
const fixed = (number) => number.toFixed(1);

const inSvg = (parent, tag, attributes, text) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
};

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
  .map(([from, to]) => `M${fixed(from)} ${fixed(top)}H${fixed(to)}V${fixed(bottom)}H${fixed(from)}Z`)
  .join("");

const drawBackground = (group, panel, x, y, settling, [left, top, right, bottom]) => {
  group.replaceChildren();
  const path = (name, d) => inSvg(group, "path", { class: name, d });
  const unmeasured = settlingOf(settling, x, [left, top, right, bottom]);
  if (unmeasured) path("shade settling", unmeasured);
  for (const border of panel.borders.filter(x.has)) {
    path("border", `M${fixed(x.place(border))} ${fixed(top)}V${fixed(bottom)}`);
  }
  let above = Infinity;
  for (const [at, name] of y.marks) {
    path("rule", `M${left} ${fixed(at)}H${right}`);
    if (above - at < LETTERS) continue;
    inSvg(group, "text", { x: fixed(left - 8), y: fixed(at + 4), "text-anchor": "end", class: "soft num" }, name);
    above = at;
  }
  const inside = (it) => Math.min(bottom, Math.max(top, it));
  const [low, high] = (panel.shaded ?? []).map(y.place);
  if (low != null && high != null) {
    path("shade", `M${left} ${fixed(inside(low))}H${right}V${fixed(inside(high))}H${left}Z`);
  }
  const level = y.place(panel.level);
  if (level !== null && y.has(panel.level)) path("level", `M${left} ${fixed(level)}H${right}`);
};

const pathsOf = (points, x, y) => {
  let line = "", thin = "", band = "", isDrawing = false, run = [];
  const endBand = () => {
    if (!run.length) return;
    const there = run.map((it, at) => `${at ? "L" : "M"}${it.at} ${it.high}`);
    band += `${there.join("")}${run.reverse().map((it) => `L${it.at} ${it.low}`).join("")}Z`;
    run = [];
  };
  for (const point of points) {
    const [at, up] = [x.place(point.x), y.place(point.y)];
    const [low, high] = [y.place(point.low), y.place(point.high)];
    const isPlaced = at !== null && up !== null;
    if (isPlaced) line += `${isDrawing ? "L" : "M"}${fixed(at)} ${fixed(up)}`;
    isDrawing = isPlaced;
    if (at === null || low === null || high === null) {
      endBand();
      continue;
    }
    run.push({ at: fixed(at), low: fixed(low), high: fixed(high) });
    thin += `M${fixed(at)} ${fixed(low)}V${fixed(high)}M${fixed(at - 3)} ${fixed(low)}h6M${fixed(at - 3)} ${fixed(high)}h6`;
  }
  endBand();
  return { line, thin, band };
};

const drawSeries = (group, series, at, { x, y, isHidden, clip }) => {
  group.setAttribute("display", isHidden ? "none" : "inline");
  if (isHidden) return;
  const paths = pathsOf(series.points, x, y);
  for (const name of ["line", "thin", "band"]) {
    const path = group.querySelector(`.${name}`);
    if (!path) continue;
    path.setAttribute("d", paths[name] || "M0 0");
    if (clip) path.setAttribute("clip-path", `url(#${clip})`);
    else path.removeAttribute("clip-path");
  }
  for (const point of series.points.filter((it) => it.nodes)) {
    const up = y.place(point.y);
    const isShown = up !== null && x.has(point.x);
    point.nodes[at].setAttribute("display", isShown ? "inline" : "none");
    if (isShown) point.nodes[at].setAttribute("transform", `translate(${fixed(x.place(point.x))} ${fixed(up)})`);
  }
};

const drawNamed = (group, place, x, y) => {
  const isShown = place !== undefined && x.has(place[0]) && y.place(place[1]) !== null;
  group.setAttribute("display", isShown ? "inline" : "none");
  const ring = group.querySelector(".ring");
  if (!isShown || !ring) return;
  const [across, up] = [ring.getAttribute("cx"), ring.getAttribute("cy")].map(Number);
  group.setAttribute("transform", `translate(${fixed(x.place(place[0]) - across)} ${fixed(y.place(place[1]) - up)})`);
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
  const plot = chart.svgs[at].querySelectorAll(".plot")[number];
  const [panel, box] = [data.panels[number], boxOf(plot)];
  const [, top, , bottom] = box;
  const isHidden = (series) => state.hidden.has(series.name);
  const points = panel.series.filter((it) => !isHidden(it)).flatMap((it) => it.points);
  const visible = state.range ? points.filter((it) => x.has(it.x)) : points;
  const extra = [panel.level, ...(panel.shaded ?? []), ...(panel.least ?? [])];
  const numbers = [...visible.flatMap((it) => [it.y, it.low, it.high]), ...extra].filter((it) => it !== null);
  const y = scaleOf(axisOf(panel.y, state.axis), numbers, [bottom, top], bottom - top > 200 ? 5 : 3);
  const settling = state.settling ? data.settling : [];
  drawBackground(plot.querySelector(".axis"), panel, x, y, settling, box);
  const clip = state.range && clipOf(plot, `${chart.figure.id}-c${at}${number}`, box);
  plot.querySelectorAll(".series").forEach((group, place) => {
    const series = panel.series[place];
    drawSeries(group, series, at, { x, y, clip, isHidden: isHidden(series) });
  });
  plot.querySelectorAll(".named").forEach((group, place) => drawNamed(group, panel.named[place], x, y));
  return bottom;
};

const acrossScale = (chart, at) => {
  const [left, , right] = boxOf(chart.svgs[at].querySelector(".plot"));
  const ends = [left + INSET, right - INSET];
  return scaleOf(chart.data.x, acrossOf(chart.data), ends, at ? 4 : 8, chart.state.range);
};

const drawTicks = (svg, x, bottom) => {
  const group = svg.querySelector(".ticks");
  group.replaceChildren();
  let free = -Infinity;
  for (const [at, name] of x.marks) {
    inSvg(group, "path", { class: "edge", d: `M${fixed(at)} ${fixed(bottom)}v4` });
    const half = name.length * LETTERS * 0.28;
    const middle = Math.min(at, svg.viewBox.baseVal.width - half);
    if (middle - half < free) continue;
    const place = { x: fixed(middle), y: fixed(bottom + 17), "text-anchor": "middle", class: "soft num" };
    inSvg(group, "text", place, name);
    free = middle + half + 6;
  }
};

const redraw = (chart) => chart.svgs.forEach((svg, at) => {
  const x = acrossScale(chart, at);
  const bottoms = chart.data.panels.map((_, number) => drawPanel(chart, at, number, x));
  drawTicks(svg, x, bottoms[bottoms.length - 1]);
  const keys = [...svg.querySelectorAll(".key")];
  keys.forEach((key, place) => key.classList.toggle("off", chart.state.hidden.has(chart.names[place])));
});
