// SPDX-License-Identifier: MIT
// Interactive parts of the report: theme, steps of a series, field map, table of heliostats.
"use strict";
const systemTheme = matchMedia("(prefers-color-scheme: dark)");
function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : systemTheme.matches;
}
document.getElementById("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  document.dispatchEvent(new Event("theme"));
});
systemTheme.addEventListener("change", () => document.dispatchEvent(new Event("theme")));
// The slider shows the maps of one step.
if (document.getElementById("step")) (() => {
  const steps = [...document.querySelectorAll("#steps .step")], slider = document.getElementById("step");
  slider.addEventListener("input", () => steps.forEach((step, i) => { step.hidden = i !== +slider.value; }));
})();
// Pages that are not about a field have no data.
if (document.getElementById("data")) (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const field = data.heliostats;
  const count = field.name.length;
  // Numbers that are not finite are null in JSON.
  for (const q of data.quantities) field[q.name] = field[q.name].map(v => v === null ? NaN : v);
  const drawn = data.targets.filter(t => t.plan.length > 0);
  const $ = id => document.getElementById(id);
  const svgText = s => s.replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
  let percent = true;

  // Displayed numbers of a quantity, and their unit.
  const terms = data.terms;
  function values(q) {
    if (q.kind === "share") return field[q.name].map(v => 100 * v);
    if (!percent) return field[q.name].map(v => terms.factor * v);
    return field[q.name].map((v, i) => field[terms.solar][i] > 0 ? 100 * v / field[terms.solar][i] : NaN);
  }
  const unit = q => q.kind === "share" || percent ? "%" : terms.unit;
  function digits(v, n) {
    if (!isFinite(v)) return "–";
    if (v === 0) return "0";
    const decimals = Math.max(0, Math.min(12, n - 1 - Math.floor(Math.log10(Math.abs(v)))));
    return v.toFixed(decimals);
  }
  const fixed = v => isFinite(v) ? v.toFixed(percent || Math.abs(v) >= 1000 ? 2 : 3) : "–";
  function ticks(low, high, most) {
    let step = Math.pow(10, Math.floor(Math.log10((high - low) / most)));
    const count = s => Math.floor(high / s + 1e-9) - Math.ceil(low / s - 1e-9) + 1;
    for (const f of [1, 2, 5, 10]) if (count(f * step) <= most) { step *= f; break; }
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), out = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) out.push([k * step, (k * step).toFixed(decimals).replace("-", "−")]);
    return out;
  }

  // Field map: built once, coloured again for every quantity.
  let W = 1000, left = 62, right = 110;
  const top = 44, bottom = 46;
  let mirrors = [], centres = [];
  const idle = data.idle;
  function build() {
    // Units of the drawing are pixels of the screen, so that text stays readable on narrow ones.
    W = Math.max(320, Math.min(1200, $("map").clientWidth || 1000));
    left = W < 600 ? 48 : 62;
    right = W < 600 ? 100 : 110;
    let e0 = Infinity, e1 = -Infinity, n0 = Infinity, n1 = -Infinity;
    const take = (e, n) => { e0 = Math.min(e0, e); e1 = Math.max(e1, e); n0 = Math.min(n0, n); n1 = Math.max(n1, n); };
    for (let i = 0; i < count; ++i) take(field.east[i], field.north[i]);
    for (const h of idle) take(h.east, h.north);
    for (const t of drawn) for (const [e, n] of t.plan) take(e, n);
    const margin = 0.04 * Math.max(e1 - e0, n1 - n0, 1) + 6;
    e0 -= margin; e1 += margin; n0 -= margin; n1 += margin;
    const least = Math.max(e1 - e0, n1 - n0) / 2.5;
    let more = Math.max(0, least - (e1 - e0)) / 2; e0 -= more; e1 += more;
    more = Math.max(0, least - (n1 - n0)) / 2; n0 -= more; n1 += more;
    const w = W - left - right, scale = Math.min(w / (e1 - e0), 720 / (n1 - n0));
    // Short fields leave space for the label of the scale.
    more = Math.max(0, 230 / scale - (n1 - n0)) / 2; n0 -= more; n1 += more;
    // A high field leaves space beside it.
    const spare = (w / scale - (e1 - e0)) / 2; e0 -= spare; e1 += spare;
    const h = scale * (n1 - n0), H = top + h + bottom;
    const X = e => left + (e - e0) * scale, Y = n => top + (n1 - n) * scale;
    const s = [`<svg viewBox="0 0 ${W} ${H.toFixed(1)}" role="img" aria-label="Field seen from above">`];
    s.push(`<clipPath id="frame"><rect x="${left}" y="${top}" width="${w}" height="${h}"/></clipPath><g clip-path="url(#frame)">`);
    for (const b of data.bodies) {
      const p = b.plan.map(([e, n]) => X(e).toFixed(1) + "," + Y(n).toFixed(1)).join(" ");
      s.push(`<polygon class="body" points="${p}"><title>${svgText(b.name)}</title></polygon>`);
    }
    s.push("</g>");
    centres = [];
    for (let i = 0; i < count; ++i) centres.push([X(field.east[i]), Y(field.north[i])]);
    for (const o of idle) {
      const x = X(o.east), y = Y(o.north);
      centres.push([x, y]);
      s.push(`<path class="idle" d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8"/>`);
    }
    s.push('<g id="mirrors">');
    for (let i = 0; i < count; ++i) {
      const o = data.outlines ? data.outlines[i] : null;
      const size = o ? Math.hypot(o[4] - o[0], o[5] - o[1]) * scale : 0;
      if (o && size > 2) {
        const p = [0, 2, 4, 6].map(k => X(o[k]).toFixed(1) + "," + Y(o[k + 1]).toFixed(1)).join(" ");
        s.push(`<polygon class="mirror" data-i="${i}" points="${p}"/>`);
      } else {
        s.push(`<circle class="mirror" data-i="${i}" cx="${X(field.east[i]).toFixed(1)}" cy="${Y(field.north[i]).toFixed(1)}" r="${o ? 1.4 : 3}"/>`);
      }
    }
    s.push("</g>");
    const labels = [];
    for (const t of drawn) {
      const p = t.plan.map(([e, n]) => X(e).toFixed(1) + "," + Y(n).toFixed(1)).join(" ");
      const mx = t.plan.reduce((a, q) => a + X(q[0]), 0) / t.plan.length, my = t.plan.reduce((a, q) => a + Y(q[1]), 0) / t.plan.length;
      let ly = my + 4;
      const width = 7.5 * t.name.length;
      const ends = t.plan.map(q => X(q[0])), high = Math.max(...ends) + 9;
      // Right of the target, left of it, or below where neither side has the room.
      let lx = high + width > W - right ? Math.min(...ends) - 9 - width : high;
      if (lx < left + 4) { lx = Math.max(left + 4, Math.min(mx - width / 2, W - right - width - 4)); ly = my + 19; }
      while (labels.some(l => Math.abs(l[1] - ly) < 15 && l[0] < lx + width && lx < l[0] + l[2])) ly += 4;
      labels.push([lx, ly, width]);
      s.push(`<polyline class="target" style="fill:none;stroke-width:3" points="${p}"/><circle class="target" cx="${mx}" cy="${my}" r="3.5"/>`);
      s.push(`<text class="halo" x="${lx}" y="${ly}">${svgText(t.name)}</text>`);
    }
    s.push(`<rect class="axis" x="${left}" y="${top}" width="${w}" height="${h}"/>`);
    for (const [v, text] of ticks(e0, e1, Math.max(4, Math.floor(w / 64)))) s.push(`<path class="axis" d="M${X(v)} ${top + h}v5"/><text x="${X(v)}" y="${top + h + 18}" text-anchor="middle">${text}</text>`);
    for (const [v, text] of ticks(n0, n1, Math.max(3, Math.floor(h / 44)))) s.push(`<path class="axis" d="M${left} ${Y(v)}h-5"/><text x="${left - 8}" y="${Y(v) + 4}" text-anchor="end">${text}</text>`);
    s.push(`<text x="${left + w / 2}" y="${top + h + 38}" text-anchor="middle">East (m)</text>`);
    s.push(`<text transform="translate(14 ${top + h / 2}) rotate(-90)" text-anchor="middle">North (m)</text>`);
    const arrow = (x, e, n, name) => {
      const turn = Math.atan2(e, n) * 180 / Math.PI;
      s.push(`<g transform="translate(${x} 14) rotate(${turn})"><path class="axis" style="stroke-width:1.6" d="M0 11V-5"/><path class="target" style="stroke:none" d="M0 -12l-4 8h8z"/></g><text x="${x}" y="${top - 5}" text-anchor="middle">${name}</text>`);
    };
    arrow(W - right - 18, 0, 1, "North");
    if (Math.hypot(data.sun[0], data.sun[1]) > 1e-3) arrow(W - right - 74, data.sun[0], data.sun[1], "to sun");
    s.push('<defs><linearGradient id="ramp" x1="0" y1="1" x2="0" y2="0"></linearGradient></defs>');
    s.push(`<rect class="axis" style="fill:url(#ramp)" x="${W - right + 18}" y="${top}" width="18" height="${h}"/><g id="bar"></g></svg>`);
    $("map").innerHTML = s.join("");
    mirrors = [...document.querySelectorAll(".mirror")];
    mirrors.h = h;
    mirrors.width = W;
  }
  function color() {
    const q = data.quantities[$("quantity").selectedIndex], shown = values(q);
    let low = Infinity, high = -Infinity;
    for (const v of shown) if (isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    if (!(high >= low)) low = high = 0;
    if (high - low < Math.max(1e-6 * Math.max(Math.abs(low), Math.abs(high)), 1e-9)) {
      const room = Math.max(0.05 * Math.abs(high), 1e-3);
      low = low === 0 ? 0 : low - room; high += room;
    }
    const colors = isDark() ? data.colors_on_dark : data.colors, n = colors.length;
    $("ramp").innerHTML = colors.map((c, k) => `<stop offset="${(k / (n - 1)).toFixed(4)}" stop-color="${c}"/>`).join("");
    mirrors.forEach((m, i) => {
      const c = isFinite(shown[i]) ? colors[Math.max(0, Math.min(n - 1, Math.floor((shown[i] - low) / (high - low) * n)))] : "#808080";
      m.style.fill = c; m.style.stroke = c;
    });
    const x = W - right + 36, s = [];
    for (const [v, text] of ticks(low, high, 9)) {
      const y = top + (high - v) / (high - low) * mirrors.h;
      s.push(`<path class="axis" d="M${x} ${y}h5"/><text x="${x + 8}" y="${y + 4}">${text}</text>`);
    }
    s.push(`<text transform="translate(${W - 6} ${top + mirrors.h / 2}) rotate(-90)" text-anchor="middle">${svgText(q.title)} (${unit(q)})</text>`);
    $("bar").innerHTML = s.join("");
    $("meaning").textContent = q.description;
  }
  function choose(i) {
    document.querySelectorAll(".chosen").forEach(e => e.classList.remove("chosen"));
    if (i === undefined || i >= count) return;
    mirrors[i].classList.add("chosen");
    mirrors[i].parentNode.appendChild(mirrors[i]);
    const row = document.querySelector(`tr[data-i="${i}"]`);
    if (row) row.classList.add("chosen");
  }
  // The heliostat under the pointer, or the nearest one within a few pixels.
  function pointed(event) {
    const own = event.target.dataset ? event.target.dataset.i : undefined;
    if (own !== undefined) return +own;
    const area = $("map").firstChild.getBoundingClientRect(), scale = W / area.width;
    const x = (event.clientX - area.left) * scale, y = (event.clientY - area.top) * scale;
    let best, least = 12 * scale;
    for (let i = 0; i < centres.length; ++i) {
      const away = Math.hypot(centres[i][0] - x, centres[i][1] - y);
      if (away < least) { least = away; best = i; }
    }
    return best;
  }
  function tip(event) {
    const i = pointed(event), box = $("tip");
    if (i === undefined) { box.style.display = "none"; return; }
    const q = data.quantities[$("quantity").selectedIndex];
    const lines = i >= count ? [idle[i - count].name, "off"] : [field.name[i], "on " + data.targets[field.target[i]].name, q.title + " " + digits(values(q)[i], 4) + " " + unit(q)];
    if (i < count && q.name !== "efficiency") lines.push("Efficiency " + digits(100 * field.efficiency[i], 4) + " %");
    box.textContent = lines.join("\n");
    const area = $("field").getBoundingClientRect(), x = event.clientX - area.left;
    box.style.display = "block";
    const side = x > area.width / 2 ? x - box.offsetWidth - 12 : x + 14;
    box.style.left = Math.max(2, Math.min(side, area.width - box.offsetWidth - 2)) + "px";
    box.style.top = (event.clientY - area.top + 12) + "px";
  }

  // Table: a sorted and filtered list of indices, of which one page is displayed.
  const columns = [
    {title: "Heliostat", text: true, value: i => i < count ? field.name[i] : idle[i - count].name},
    {title: "Target", text: true, value: i => i < count ? data.targets[field.target[i]].name : "off"},
    {title: "East", unit: () => "m", value: i => i < count ? field.east[i] : idle[i - count].east, show: v => v.toFixed(1)},
    {title: "North", unit: () => "m", value: i => i < count ? field.north[i] : idle[i - count].north, show: v => v.toFixed(1)},
    {title: "Distance", unit: () => "m", value: i => i < count ? field.distance[i] : NaN, show: v => isFinite(v) ? v.toFixed(1) : "–"},
  ];
  for (const q of data.quantities) {
    let cache = null;
    const error = q.name.endsWith("std_error");
    columns.push({title: q.short, tip: q.description, unit: () => unit(q), reset: () => { cache = null; },
                  value: i => i < count ? (cache = cache || values(q))[i] : NaN, show: v => error ? digits(v, 2) : fixed(v)});
  }
  const collator = new Intl.Collator(undefined, {numeric: true});
  const pageRows = 50;
  const rowsInAll = count + idle.length;
  let order = [...Array(rowsInAll).keys()], sorted = -1, rising = true, page = 0;
  function select() {
    const wanted = $("filter").value.toLowerCase();
    order = [];
    for (let i = 0; i < rowsInAll; ++i) {
      if (!wanted || columns.slice(0, 2).some(c => c.value(i).toLowerCase().includes(wanted))) order.push(i);
    }
    if (sorted >= 0) {
      const c = columns[sorted], sign = rising ? 1 : -1;
      // Unknown numbers come last in both directions.
      const compare = c.text ? (a, b) => sign * collator.compare(c.value(a), c.value(b))
        : (a, b) => { const x = c.value(a), y = c.value(b); return isFinite(x) && isFinite(y) ? sign * (x - y) : isFinite(y) - isFinite(x); };
      order.sort((a, b) => compare(a, b) || a - b);
    }
    page = 0;
    show();
  }
  function show() {
    const head = document.createElement("tr");
    columns.forEach((c, k) => {
      const th = document.createElement("th"), button = document.createElement("button"), small = document.createElement("small");
      th.className = c.text ? "text" : "";
      th.setAttribute("aria-sort", k === sorted ? (rising ? "ascending" : "descending") : "none");
      button.textContent = c.title + (k === sorted ? (rising ? " ▲" : " ▼") : "");
      button.title = c.tip || "";
      small.textContent = c.unit ? c.unit() : "\u00a0";
      button.addEventListener("click", () => {
        // The first click sorts numbers with the largest first; a second click reverses the order.
        rising = k === sorted ? !rising : !!c.text;
        sorted = k;
        select();
      });
      th.append(button, small);
      head.append(th);
    });
    $("head").replaceChildren(head);
    const rows = order.slice(page * pageRows, (page + 1) * pageRows).map(i => {
      const tr = document.createElement("tr");
      tr.dataset.i = i;
      for (const c of columns) {
        const td = document.createElement("td"), v = c.value(i);
        td.textContent = c.text ? v : c.show(v);
        if (c.text) { td.className = "text"; td.title = v; }
        tr.append(td);
      }
      return tr;
    });
    $("rows").replaceChildren(...rows);
    const pages = Math.max(1, Math.ceil(order.length / pageRows));
    $("place").textContent = order.length === 0 ? "no heliostat of this name"
      : `${page * pageRows + 1} to ${Math.min(order.length, (page + 1) * pageRows)} of ${order.length.toLocaleString("en")}`;
    $("back").disabled = page === 0;
    $("on").disabled = page + 1 >= pages;
  }

  for (const q of data.quantities) $("quantity").add(new Option(q.title, q.name));
  build();
  color();
  show();
  // A wider or narrower window gets a new drawing.
  addEventListener("resize", () => {
    if (Math.abs(Math.max(320, Math.min(1200, $("map").clientWidth)) - mirrors.width) > 8) { build(); color(); }
  });
  document.addEventListener("theme", color);
  $("quantity").addEventListener("change", color);
  $("unit").addEventListener("change", () => {
    percent = $("unit").value === "percent";
    columns.forEach(c => c.reset && c.reset());
    color();
    select();
  });
  $("map").addEventListener("mousemove", tip);
  $("map").addEventListener("mouseleave", () => { $("tip").style.display = "none"; });
  $("map").addEventListener("click", e => { choose(pointed(e)); tip(e); });
  $("rows").addEventListener("click", e => choose(+e.target.closest("tr").dataset.i));
  $("filter").addEventListener("input", select);
  $("back").addEventListener("click", () => { --page; show(); });
  $("on").addEventListener("click", () => { ++page; show(); });
})();
