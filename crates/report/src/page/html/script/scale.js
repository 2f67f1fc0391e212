// Axes: the same scales and marks as those of the drawing that the page contains (chart/scale.rs).

const withoutZeros = (digits) => digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;

// Three significant digits, or all integer digits.
const digitsOf = (value) => {
  const exponent = Number(Math.abs(value).toExponential(2).split("e")[1]);
  return withoutZeros(value.toFixed(Math.max(0, 2 - exponent)));
};

const labelOf = (marks, value) => {
  if (!marks.unit) return (marks.before ?? "") + withoutZeros(value.toFixed(4)) + (marks.after ?? "");
  if (Math.abs(value) < Number.MIN_VALUE * 2 ** 52) return "0";
  const fits = marks.unit.findLast(([factor]) => Math.abs(value) >= factor * 0.9995);
  const [factor, name] = fits ?? marks.unit[0];
  return digitsOf(value / factor) + name;
};

const stepOf = (least) => {
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5].map((factor) => factor * power).find((step) => step >= least * 0.999999) ?? power * 10;
};

const roundSteps = (low, high, wanted) => {
  const step = stepOf((high - low) / wanted);
  const first = Math.floor(low / step), last = Math.ceil(high / step - 1e-9);
  const count = Math.min(100, Math.max(1, last - first));
  return Array.from({ length: count + 1 }, (_, at) => (first + at) * step);
};

const roundRatios = (low, high, wanted) => {
  const inside = (place) => place >= low * (1 - 1e-9) && place <= high * (1 + 1e-9);
  if (high / low < 2.5) {
    const tried = [wanted, wanted * 2, wanted * 4].map((it) => roundSteps(low, high, it).filter(inside));
    return tried.find((marks) => marks.length > 1) ?? [];
  }
  const times = (factors) => {
    const all = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
      all.push(...factors.map((factor) => factor * 10 ** power));
    }
    return all.filter(inside);
  };
  let all = times(high / low > 2e3 ? [1] : [1, 2, 5]);
  if (all.length < 3) all = times([1, 1.5, 2, 3, 5, 7]);
  const every = Math.max(1, Math.ceil(all.length / (wanted * 2)));
  return all.filter((_, at) => at % every === 0);
};

// Maps numbers to places from `from` to `to`. An `exact` range is kept; otherwise an axis has space at
// its ends, or ends at marks.
const scaleOf = (axis, numbers, [from, to], wanted, exact) => {
  const { log, zero, marks: { fixed } } = axis;
  const placed = numbers.filter((it) => Number.isFinite(it) && (!log || it > 0));
  let [low, high] = placed.length ? [Math.min(...placed), Math.max(...placed)] : [1, 1];
  if (exact) [low, high] = exact;
  else if (zero && !log) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (low === high) {
    if (log) [low, high] = [low / 1.05, high * 1.05];
    else if (fixed) [low, high] = [low - 0.5, high + 0.5];
    else if (low === 0) high = 1;
    else [low, high] = [low - Math.abs(low) * 0.05, high + Math.abs(high) * 0.05];
  }
  if (log && !fixed && !exact) {
    const space = (high / low) ** 0.04;
    [low, high] = [low / space, high * space];
  }
  const round = fixed ? [] : (log ? roundRatios : roundSteps)(low, high, wanted);
  if (!fixed && !log && !exact) {
    [low, high] = [Math.min(low, round[0]), Math.max(high, round.at(-1))];
  }
  const named = fixed ?? round.map((at) => [at, labelOf(axis.marks, at)]);
  const slack = (at) => log ? at * 1e-9 : (high - low) * 1e-9;
  const share = (it) => log ? Math.log(it / low) / Math.log(high / low) : (it - low) / (high - low);
  const place = (it) => it == null || (log && it <= 0) ? null
    : from + share(it) * (to - from);
  return {
    range: [low, high],
    place,
    has: (it) => it >= low && it <= high,
    at: (position) => {
      const part = (position - from) / (to - from);
      return log ? low * (high / low) ** part : low + part * (high - low);
    },
    marks: named.filter(([at]) => at >= low - slack(at) && at <= high + slack(at))
      .map(([at, name]) => [place(at), name]),
  };
};
