// Charts: tooltips, zoom, other axes, hidden targets, and pictures.

const zoom = (chart, range) => {
  const before = chart.state.range;
  chart.state.range = null;
  const [low, high] = acrossScale(chart).range;
  const wanted = range && [Math.max(low, range[0]), Math.min(high, range[1])];
  const isTooShort = wanted && wanted[1] - wanted[0] < (high - low) * 1e-4;
  const isWhole = !wanted || (wanted[0] <= low && wanted[1] >= high);
  chart.state.range = isTooShort ? before : isWhole ? null : wanted;
  if (isTooShort) return;
  chart.whole.disabled = isWhole;
  hideTip(chart);
  redraw(chart);
  say(isWhole ? words.whole : `${words.zoomed}: ${acrossScale(chart).marks.map(([, name]) => name).join(", ")}`);
};

// Makes the visible range longer or shorter, around the current mark or the middle, or moves it.
const zoomBy = (chart, factor, shift = 0) => {
  const x = acrossScale(chart);
  const [from, to] = x.range.map(x.place);
  const node = chart.current?.nodes[0].getAttribute("transform")?.match(/-?[\d.]+/);
  const middle = node ? Number(node[0]) : (from + to) / 2;
  const moved = (end) => x.at(middle + (end - middle) * factor + shift * (to - from));
  zoom(chart, [moved(from), moved(to)]);
};

const follow = (chart) => {
  const { drawing } = chart;
  const pick = make("div", "pick");
  let start, dragged;
  const stop = () => {
    pick.hidden = true;
    start = null;
  };
  stop();
  drawing.append(pick);
  drawing.onpointerdown = (event) => {
    dragged = false;
    if (event.button !== 0 || event.pointerType === "touch" || !chart.data || event.target.closest("button")) return;
    start = event.clientX;
    drawing.setPointerCapture(event.pointerId);
  };
  drawing.onpointermove = (event) => {
    if (start === null) {
      const mark = nearest(chart, event, 24);
      if (mark && mark !== chart.current) showTip(chart, mark);
      else if (!mark && chart.current) hideTip(chart);
      return;
    }
    dragged ||= Math.abs(event.clientX - start) > 5;
    if (!dragged) return;
    hideTip(chart);
    const frame = drawing.getBoundingClientRect();
    pick.hidden = false;
    pick.style.left = `${Math.min(start, event.clientX) - frame.left}px`;
    pick.style.width = `${Math.abs(event.clientX - start)}px`;
  };
  drawing.onpointerup = (event) => {
    if (dragged && start !== null) {
      const at = shown(chart), svg = chart.svgs[at], x = acrossScale(chart, at);
      const frame = svg.getBoundingClientRect();
      const ends = [start, event.clientX]
        .map((it) => x.at((it - frame.left) / frame.width * svg.viewBox.baseVal.width));
      zoom(chart, ends.sort((a, b) => a - b));
    }
    stop();
  };
  drawing.onpointercancel = stop;
  drawing.onpointerleave = () => { if (start === null) hideTip(chart); };
  drawing.ondblclick = () => { if (chart.data) zoom(chart); };
  drawing.onclick = (event) => {
    if (dragged || event.target.closest("button")) return;
    const mark = nearest(chart, event, 40);
    if (!mark) return;
    showTip(chart, mark);
    choose(chart, mark);
  };
};

const byKeys = (chart) => {
  const panels = chart.data && {
    "+": () => zoomBy(chart, 0.5),
    "-": () => zoomBy(chart, 2),
    0: () => zoom(chart),
  };
  const escape = () => {
    if (!chart.chosen && !chart.current) return panels?.[0]();
    close(chart);
    hideTip(chart);
  };
  const select = () => { if (chart.current) choose(chart, chart.current); };
  const keys = { ...panels, Escape: escape, Enter: select, " ": select };
  chart.drawing.onkeydown = (event) => {
    if (event.target !== chart.drawing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey } = event;
    const shift = shiftKey && { ArrowLeft: -0.25, ArrowRight: 0.25 }[key];
    if (shift && panels) {
      zoomBy(chart, 1, shift);
    } else if (/^(Arrow|Home|End)/.test(key) && chart.marks.length) {
      const mark = nextMark(chart, key);
      if (!mark) return;
      showTip(chart, mark);
      say(mark.text);
    } else if (keys[key]) {
      keys[key]();
    } else {
      return;
    }
    event.preventDefault();
  };
  chart.drawing.onblur = () => hideTip(chart);
};

// Buttons on the names of the legend, which show and hide a target.
const legend = (chart) => {
  if (chart.names.length < 2) return;
  const { hidden } = chart.state;
  const toggle = (name) => {
    if (!hidden.delete(name)) hidden.add(name);
    if (hidden.size === chart.names.length) hidden.clear();
    allIn(chart.drawing, ".over").forEach((it) => { it.ariaPressed = !hidden.has(it.title); });
    redraw(chart);
  };
  chart.svgs.forEach((svg, at) => {
    const { width, height } = svg.viewBox.baseVal;
    allIn(svg, ".key").forEach((key, place) => {
      const name = chart.names[place];
      const [left, top, wide, high] = boxOf(key);
      const made = button("", name, () => toggle(name));
      made.className = `over ${at ? "narrow" : "broad"}`;
      made.ariaPressed = true;
      made.style.cssText = `left:${left / width * 100}%;top:${top / height * 100}%;`
        + `width:${wide / width * 100}%;height:${high / height * 100}%`;
      chart.drawing.append(made);
    });
  });
};

// The drawing as an SVG file with its style sheet.
const pictureOf = (chart) => {
  const svg = chart.svgs[0].cloneNode(true);
  svg.setAttribute("class", "chart");
  allIn(svg, ".on, .chosen").forEach((node) => node.classList.remove("on", "chosen"));
  const style = inSvg(svg, "style", {}, document.querySelector("style").textContent);
  svg.prepend(style, inSvg(svg, "rect", { class: "paper", width: "100%", height: "100%" }));
  return new XMLSerializer().serializeToString(svg);
};

const savePng = (chart) => {
  const image = new Image();
  image.onload = () => {
    const canvas = make("canvas");
    [canvas.width, canvas.height] = [image.width * 2, image.height * 2];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(`${chart.title}.png`, blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictureOf(chart))}`;
};

// A button that shades the settling time before each slice; at first, no figure and no shade shows it.
const warmUp = (chart) => {
  const made = button(words.warmUp, words.warmUpHint, () => {
    chart.state.settling = !chart.state.settling;
    made.ariaPressed = chart.state.settling;
    redraw(chart);
  });
  made.ariaPressed = false;
  return made;
};

const tools = (chart) => {
  const made = make("div", "tools");
  chart.whole = button(words.whole, words.whole, () => zoom(chart));
  chart.whole.disabled = true;
  if (chart.data) {
    const axis = make("select", "", ...["drawn", "linear", "log"].map((name) => new Option(words[name], name)));
    axis.ariaLabel = words.axis;
    axis.onchange = () => {
      chart.state.axis = axis.value;
      hideTip(chart);
      redraw(chart);
    };
    made.append(
      button("+", words.zoomIn, () => zoomBy(chart, 0.5)),
      button("−", words.zoomOut, () => zoomBy(chart, 2)),
      chart.whole, axis,
    );
    if (chart.data.settling) made.append(warmUp(chart));
  }
  const saveSvg = () => save(`${chart.title}.svg`, new Blob([pictureOf(chart)], { type: "image/svg+xml" }));
  made.append(button("SVG", words.saveSvg, saveSvg), button("PNG", words.savePng, () => savePng(chart)));
  chart.drawing.before(made);
};

// Gives each point of a panel its elements: the shapes of a series are in the order of its placed points.
const join = (chart) => {
  const isPlaced = (axis, it) => it !== null && (!axis.log || it > 0);
  const shapes = chart.svgs.map((svg) => allIn(svg, ".plot").map((plot) =>
    allIn(plot, ".series").map((group) => allIn(group, ".dot, .hollow"))));
  const details = new Map();
  chart.data.panels.forEach((panel, number) => panel.series.forEach((series, place) => {
    series.points = series.points.map(pointOf);
    if (series.style === "line") return;
    const placed = series.points.filter((it) => isPlaced(chart.data.x, it.x) && isPlaced(panel.y, it.y));
    placed.forEach((point, at) => {
      point.nodes = shapes.map((panels) => panels[number][place][at]);
      details.set(point.nodes[0], point.detail);
    });
  }));
  chart.marks.forEach((mark) => { mark.detail = details.get(mark.nodes[0]); });
  const names = chart.data.panels.flatMap((panel) => panel.series).map((series) => series.name);
  chart.names = [...new Set(names)];
};

const marksOf = (svgs) => {
  const [broad, narrow] = svgs.map((svg) => allIn(svg, ".mark"));
  return broad.map((node, at) => {
    const title = node.querySelector("title");
    // The browser would show it beside the tooltip of this script.
    title.remove();
    return { text: title.textContent, nodes: [node, narrow[at]] };
  });
};

for (const figure of allIn(document, "figure")) {
  const drawing = figure.querySelector(".drawing");
  const svgs = allIn(drawing, "svg");
  const title = svgs[0].querySelector("title").textContent;
  const data = figure.querySelector("script");
  const chart = {
    figure, drawing, svgs, title,
    data: data && JSON.parse(data.textContent),
    marks: marksOf(svgs), names: [], current: null, chosen: null,
    state: { range: null, axis: "drawn", hidden: new Set(), settling: false },
  };
  for (const svg of svgs) {
    svg.ariaLabel = title;
    svg.removeAttribute("aria-labelledby");
    svg.querySelector("title").remove();
  }
  drawing.setAttribute("aria-describedby", "hint");
  tools(chart);
  if (chart.data) {
    join(chart);
    legend(chart);
  }
  follow(chart);
  byKeys(chart);
}
