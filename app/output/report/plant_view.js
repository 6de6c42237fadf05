// SPDX-License-Identifier: MIT
// The plant in three dimensions, drawn with WebGL 2: mirrors in their poses, targets with their
// flux, bodies, ground or hills, north and sun.
if (document.getElementById("view-data"))
  (() => {
    const $ = id => document.getElementById(id);
    const view = JSON.parse($("view-data").textContent), data = JSON.parse($("data").textContent), field = data.heliostats;
    const canvas = $("view-canvas"), count = field.name.length;
    const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
    const floats = text => new Float32Array(bytes(text).buffer);
    const mirrors = floats(view.mirrors), facets = floats(view.facets || ""), triangles = view.facet_triangles || [], bodies = floats(view.bodies),
          hills = floats(view.hills);
    const surfaces = view.surfaces.map(s => ({...s, corners: floats(s.triangles)}));
    const gl = canvas.getContext("webgl2", {antialias: true, preserveDrawingBuffer: true});
    if (!gl) {
      $("view-controls").remove();
      $("view").innerHTML = "<p class=\"quiet\">This browser has no WebGL 2. The map below shows the same field from above.</p>";
      return;
    }

    // Vectors are arrays of three numbers.
    const plus = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const unit = a => {
      const n = Math.hypot(...a);
      return [a[0] / n, a[1] / n, a[2] / n];
    };
    const vector = (array, i) => [array[i], array[i + 1], array[i + 2]];

    // A box around everything.
    const low = [Infinity, Infinity, view.ground], high = [-Infinity, -Infinity, view.ground];
    const take = (array, i) => {
      for (let k = 0; k < 3; ++k) {
        low[k] = Math.min(low[k], array[i + k]);
        high[k] = Math.max(high[k], array[i + k]);
      }
    };
    for (let i = 0; i < count; ++i) take(mirrors, 9 * i);
    for (let i = 0; i < bodies.length; i += 3) take(bodies, i);
    for (const s of surfaces)
      for (let i = 0; i < s.corners.length; i += 5) take(s.corners, i);
    const middle = low.map((x, k) => 0.5 * (x + high[k])), radius = Math.max(5, 0.5 * Math.hypot(...high.map((x, k) => x - low[k])));

    // Ground: lines over the hills, or on flat ground squares of a round size, at most 16 along an
    // edge; an arrow to the north beyond them.
    const widest = Math.max(high[0] - low[0], high[1] - low[1], 10);
    let square = Math.pow(10, Math.floor(Math.log10(widest / 16)));
    for (const f of [1, 2, 5, 10])
      if (widest / (f * square) <= 16) {
        square *= f;
        break;
      }
    const [west, south] = [0, 1].map(k => Math.floor(low[k] / square) * square),
                 [east, north] = [0, 1].map(k => Math.ceil(high[k] / square) * square);
    const grid = Array.from(hills), posts = [], z = view.ground;
    if (!hills.length) {
      for (let x = west; x <= east + 0.1 * square; x += square) grid.push(x, south, z, x, north, z);
      for (let y = south; y <= north + 0.1 * square; y += square) grid.push(west, y, z, east, y, z);
    }
    for (let i = 0; i < count; ++i) posts.push(...vector(mirrors, 9 * i), mirrors[9 * i], mirrors[9 * i + 1], z);
    const size = 0.05 * widest, tip = north + 2.2 * size, x = middle[0];
    const arrow = [x, tip, z, x - 0.45 * size, tip - size, z, x + 0.45 * size, tip - size, z];
    for (const [a, b] of [[-1, 0], [1, 0], [1, 1], [-1, 0], [1, 1], [-1, 1]])
      arrow.push(x + 0.12 * size * a, north + 0.3 * size + b * 0.95 * size, z);
    const foot = [middle[0], middle[1], z], sun = plus(foot, 0.85 * radius, data.sun);
    const labels = [["N", [x, tip + 0.6 * size, z]], ["Sun", plus(sun, 0.07 * radius, [0, 0, 1])]];
    if (surfaces.length <= 6)
      for (const s of surfaces) {
        const top = vector(s.corners, 0), mean = [0, 0, 0];
        for (let i = 0; i < s.corners.length; i += 5) {
          top[2] = Math.max(top[2], s.corners[i + 2]);
          for (let k = 0; k < 3; ++k) mean[k] += s.corners[i + k] / (s.corners.length / 5);
        }
        labels.push([s.name, [mean[0], mean[1], top[2] + 0.04 * radius]]);
      }
    $("view-labels").replaceChildren(...labels.map(([text]) => Object.assign(document.createElement("span"), {textContent: text})));

    // Shaders: mirrors are instances of one rectangle; the others are lines (mode 0), bodies
    // (1), surfaces with a map (2) and the sun (3).
    const mirrorVertex = `#version 300 es
    in vec3 centre, right, up, color; uniform mat4 matrix; out vec3 shade;
    void main() {
      vec2 corner = vec2(gl_VertexID % 2, gl_VertexID / 2) * 2.0 - 1.0;
      gl_Position = matrix * vec4(centre + corner.x * right + corner.y * up, 1.0);
      shade = color;
    }`;
    const mirrorFragment = `#version 300 es
    precision highp float; in vec3 shade; out vec4 result;
    void main() { result = vec4(shade * (gl_FrontFacing ? 1.0 : 0.62), 1.0); }`;
    const meshVertex = `#version 300 es
    in vec3 point; in vec2 place; uniform mat4 matrix; uniform float pixels; out vec3 world; out vec2 spot;
    void main() { gl_Position = matrix * vec4(point, 1.0); gl_PointSize = pixels; world = point; spot = place; }`;
    const meshFragment = `#version 300 es
    precision highp float; in vec3 world; in vec2 spot; uniform int mode; uniform vec3 color; uniform sampler2D map; out vec4 result;
    void main() {
      result = vec4(color, 1.0);
      vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
      float light = 0.62 + 0.38 * abs(dot(normal, normalize(vec3(0.4, -0.55, 0.73))));
      if (mode == 1 || (mode == 2 && !gl_FrontFacing)) result.rgb = color * light;
      else if (mode == 2) result.rgb = texture(map, spot).rgb;
      else if (mode == 3 && length(gl_PointCoord - 0.5) > 0.5) discard;
    }`;
    function program(vertex, fragment) {
      const made = gl.createProgram();
      for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, text);
        gl.compileShader(shader);
        gl.attachShader(made, shader);
      }
      gl.linkProgram(made);
      if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error("shaders: " + gl.getProgramInfoLog(made));
      return made;
    }
    // Facets that are not rectangles, one corner after the other, with the colour of their mirror.
    const facetVertex = `#version 300 es
    in vec3 point, color; uniform mat4 matrix; out vec3 shade;
    void main() { gl_Position = matrix * vec4(point, 1.0); shade = color; }`;
    let mirrorProgram, facetProgram, meshProgram, mirrorArray, facetArray, colorBuffer, facetColors, meshes;
    function buffer(array) {
      const made = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, made);
      gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
      return made;
    }
    function attribute(owner, name, parts, stride, offset, type = gl.FLOAT, perInstance = 0) {
      const at = gl.getAttribLocation(owner, name);
      if (at < 0) return;
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, parts, type, type !== gl.FLOAT, stride, offset);
      gl.vertexAttribDivisor(at, perInstance);
    }
    function mesh(numbers, stride, kind, mode, color, map) {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      buffer(numbers instanceof Float32Array ? numbers : new Float32Array(numbers));
      attribute(meshProgram, "point", 3, 4 * stride, 0);
      if (stride > 3) attribute(meshProgram, "place", 2, 4 * stride, 12);
      return {array, corners: numbers.length / stride, kind, mode, color, map};
    }
    function texture(s) {
      const made = gl.createTexture(), flux = s.flux ? bytes(s.flux) : new Uint8Array(1), pixels = new Uint8Array(4 * flux.length);
      flux.forEach((v, i) => {
        for (let k = 0; k < 3; ++k) pixels[4 * i + k] = view.flux_colors[3 * v + k];
        pixels[4 * i + 3] = 255;
      });
      gl.bindTexture(gl.TEXTURE_2D, made);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, s.width || 1, s.height || 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      for (const [key, value] of [
               [gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.NEAREST], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
               [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
        gl.texParameteri(gl.TEXTURE_2D, key, value);
      return made;
    }
    function start() {
      mirrorProgram = program(mirrorVertex, mirrorFragment);
      meshProgram = program(meshVertex, meshFragment);
      mirrorArray = gl.createVertexArray();
      gl.bindVertexArray(mirrorArray);
      // Mirrors with such facets have a rectangle without size.
      buffer(mirrors.map((v, i) => triangles[Math.floor(i / 9)] && i % 9 > 2 ? 0 : v));
      ["centre", "right", "up"].forEach((name, k) => attribute(mirrorProgram, name, 3, 36, 12 * k, gl.FLOAT, 1));
      colorBuffer = buffer(new Uint8Array(4 * count));
      attribute(mirrorProgram, "color", 3, 4, 0, gl.UNSIGNED_BYTE, 1);
      if (facets.length) {
        facetProgram = program(facetVertex, mirrorFragment);
        facetArray = gl.createVertexArray();
        gl.bindVertexArray(facetArray);
        buffer(facets);
        attribute(facetProgram, "point", 3, 12, 0);
        facetColors = buffer(new Uint8Array(facets.length / 3 * 4));
        attribute(facetProgram, "color", 3, 4, 0, gl.UNSIGNED_BYTE);
      }
      meshes = [
        mesh(grid, 3, gl.LINES, 0, "rule"), mesh(posts, 3, gl.LINES, 0, "loss"), mesh(arrow, 3, gl.TRIANGLES, 0, "text"),
        mesh([...foot, ...sun], 3, gl.LINES, 0, "sun"), mesh(sun, 3, gl.POINTS, 3, "sun"), mesh(bodies, 3, gl.TRIANGLES, 1, "body"),
        ...surfaces.map(s => mesh(s.corners, 5, gl.TRIANGLES, s.width ? 2 : 1, "body", texture(s)))
      ];
      gl.enable(gl.DEPTH_TEST);
      gl.depthFunc(gl.LEQUAL);
    }

    // Colours of the mirrors, by a quantity in per cent.
    const quantities = data.quantities.filter(q => !q.name.endsWith("std_error") && q.name !== data.terms.solar);
    for (const q of quantities) $("view-quantity").add(new Option(q.title, q.name));
    let shown = [], printing = false;
    const dark = () => !printing && isDark();
    const round = v => Math.abs(v) >= 99.95 ? v.toFixed(0) : v.toFixed(Math.abs(v) >= 9.995 ? 1 : 2);
    function paint() {
      const q = quantities[$("view-quantity").selectedIndex], colors = dark() ? data.colors_on_dark : data.colors, n = colors.length;
      shown = field[q.name].map((v, i) => v === null ? NaN : q.kind === "share" ? 100 * v : 100 * v / field[data.terms.solar][i]);
      const known = shown.filter(isFinite), least = known.reduce((a, b) => Math.min(a, b), Infinity),
            most = known.reduce((a, b) => Math.max(a, b), -Infinity);
      const all = new Uint8Array(4 * count);
      shown.forEach((v, i) => {
        const c = isFinite(v) ? parseInt(colors[most > least ? Math.min(n - 1, Math.floor((v - least) / (most - least) * n)) : n - 1].slice(1), 16) :
                                0x808080;
        all.set([c >> 16, c >> 8 & 255, c & 255, 255], 4 * i);
      });
      gl.bindBuffer(gl.ARRAY_BUFFER, colorBuffer);
      gl.bufferData(gl.ARRAY_BUFFER, all, gl.STATIC_DRAW);
      if (facets.length) {
        const corners = new Uint8Array(facets.length / 3 * 4);
        let at = 0;
        triangles.forEach((n, i) => {
          for (const end = at + 12 * n; at < end; at += 4) corners.set(all.subarray(4 * i, 4 * i + 4), at);
        });
        gl.bindBuffer(gl.ARRAY_BUFFER, facetColors);
        gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
      }
      const ramp = list => `<i style="background:linear-gradient(90deg,${list.join()})"></i>`;
      const flux = [...Array(17).keys()].map(k => `rgb(${vector(view.flux_colors, 3 * Math.round(k * 255 / 16))})`);
      $("view-legend").innerHTML =
          (known.length ? `<div><b></b> ${round(least)} ${ramp(colors)} ${round(most)} %</div>` : "<div><b></b> unknown</div>") +
          (view.flux_max ? `<div><b>Flux</b> 0 ${ramp(flux)} ${Number(view.flux_max.toPrecision(4))} ${view.flux_unit}</div>` : "");
      $("view-legend").querySelector("b").textContent = q.title;
    }

    // The camera turns about a point; angles in degrees, the azimuth is that of the camera.
    const camera = {};
    // Sees the fronts of the targets from the side; targets that face all directions from the south-west.
    function reset() {
      let area = 0, front = [0, 0, 0];
      for (const s of surfaces)
        for (let i = 0; i < s.corners.length; i += 15) {
          const corner = vector(s.corners, i), normal = cross(plus(vector(s.corners, i + 5), -1, corner), plus(vector(s.corners, i + 10), -1, corner));
          front = plus(front, 1, normal);
          area += Math.hypot(...normal);
        }
      const faces = Math.hypot(front[0], front[1]) > 0.3 * area;
      Object.assign(camera, {azimuth: faces ? Math.atan2(front[0], front[1]) * 180 / Math.PI - 50 : 215, elevation: 24});
      fit();
    }
    // Moves the camera so that ground, bodies, targets, sun and arrow fill the picture.
    function fit() {
      Object.assign(camera, {distance: 1, centre: middle.slice()});
      const seen = [sun, [x, tip, z]];
      for (const e of [west, east])
        for (const n of [south, north]) seen.push([e, n, z]);
      for (let i = 0; i < bodies.length; i += 3) seen.push(vector(bodies, i));
      for (const s of surfaces)
        for (let i = 0; i < s.corners.length; i += 5) seen.push(vector(s.corners, i));
      for (let round = 0; round < 4; ++round) {
        const now = pose(), spots = seen.map(point => project(point, now)), range = k => [Math.min(...spots.map(p => p[k])), Math.max(...spots.map(p => p[k]))];
        const [left, right] = range(0), [bottom, top] = range(1), half = now.reach * now.slope;
        camera.centre = plus(plus(camera.centre, 0.5 * (left + right) * half * now.aspect, now.right), 0.5 * (bottom + top) * half, now.up);
        camera.distance *= Math.max(0.2, Math.max(right - left, top - bottom) / 1.84);
      }
      later();
    }
    // Place in the picture, from -1 to 1 to the right and up, and depth.
    function project(point, now) {
      const away = plus(point, -1, now.eye), depth = -dot(away, now.back);
      return [dot(away, now.right) / (depth * now.slope * now.aspect), dot(away, now.up) / (depth * now.slope), depth];
    }
    const opening = 35 * Math.PI / 180;
    function pose() {
      const a = camera.azimuth * Math.PI / 180, b = camera.elevation * Math.PI / 180, aspect = canvas.clientWidth / Math.max(1, canvas.clientHeight);
      const back = [Math.cos(b) * Math.sin(a), Math.cos(b) * Math.cos(a), Math.sin(b)], right = unit([-Math.cos(a), Math.sin(a), 0]),
            up = cross(back, right);
      const reach = camera.distance * radius / Math.sin(opening / 2);
      return {back, right, up, reach, aspect, eye: plus(camera.centre, reach, back), slope: Math.tan(opening / 2)};
    }
    function matrix({back, right, up, eye, reach, aspect, slope}) {
      const near = Math.max(0.01 * reach, reach - 3 * radius), far = reach + 4 * radius, d = near - far;
      const rows = [[...right, -dot(right, eye)], [...up, -dot(up, eye)], [...back, -dot(back, eye)]];
      const x = rows[0].map(v => v / (slope * aspect)), y = rows[1].map(v => v / slope);
      const z = rows[2].map((v, k) => v * (far + near) / d + (k === 3 ? 2 * far * near / d : 0)), w = rows[2].map(v => -v);
      return [0, 1, 2, 3].flatMap(k => [x[k], y[k], z[k], w[k]]);
    }
    const css = name => {
      const text = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
      return [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16) / 255);
    };
    let waiting = false;
    function later() {
      if (!waiting) {
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          draw();
        });
      }
    }
    function draw() {
      if (gl.isContextLost()) return;
      const scale = devicePixelRatio || 1, w = Math.max(1, Math.round(canvas.clientWidth * scale)),
            h = Math.max(1, Math.round(canvas.clientHeight * scale));
      if (canvas.width !== w || canvas.height !== h) {
        canvas.width = w;
        canvas.height = h;
      }
      const now = pose(), all = matrix(now), palette = {
        rule: css("rule"),
        loss: css("loss"),
        text: css("text"),
        sun: [0.96, 0.68, 0.1],
        body: dark() ? [0.5, 0.5, 0.56] : [0.72, 0.72, 0.76]
      };
      gl.viewport(0, 0, w, h);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.useProgram(meshProgram);
      const of = name => gl.getUniformLocation(meshProgram, name);
      gl.uniformMatrix4fv(of("matrix"), false, all);
      gl.uniform1f(of("pixels"), 20 * scale);
      for (const m of meshes) {
        gl.bindVertexArray(m.array);
        gl.uniform1i(of("mode"), m.mode);
        gl.uniform3fv(of("color"), palette[m.color]);
        if (m.map) gl.bindTexture(gl.TEXTURE_2D, m.map);
        gl.drawArrays(m.kind, 0, m.corners);
      }
      gl.useProgram(mirrorProgram);
      gl.bindVertexArray(mirrorArray);
      gl.uniformMatrix4fv(gl.getUniformLocation(mirrorProgram, "matrix"), false, all);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
      if (facets.length) {
        gl.useProgram(facetProgram);
        gl.bindVertexArray(facetArray);
        gl.uniformMatrix4fv(gl.getUniformLocation(facetProgram, "matrix"), false, all);
        gl.drawArrays(gl.TRIANGLES, 0, facets.length / 3);
      }
      [...$("view-labels").children].forEach((span, i) => {
        const [px, py, depth] = project(labels[i][1], now);
        span.hidden = depth <= 0 || Math.abs(px) > 1 || Math.abs(py) > 1;
        span.style.left = canvas.offsetLeft + (px + 1) / 2 * canvas.clientWidth + "px";
        span.style.top = canvas.offsetTop + (1 - py) / 2 * canvas.clientHeight + "px";
      });
    }

    // The nearest mirror under a pixel.
    function pick(px, py) {
      const now = pose(), sx = (2 * px / canvas.clientWidth - 1) * now.slope * now.aspect, sy = (1 - 2 * py / canvas.clientHeight) * now.slope;
      const ray = plus(plus(plus([0, 0, 0], -1, now.back), sx, now.right), sy, now.up);
      let best, nearest = Infinity;
      for (let i = 0; i < count; ++i) {
        const a = vector(mirrors, 9 * i + 3), b = vector(mirrors, 9 * i + 6), normal = cross(a, b), from = plus(vector(mirrors, 9 * i), -1, now.eye);
        const t = dot(normal, from) / dot(normal, ray);
        if (!(t > 0 && t < nearest)) continue;
        const hit = plus(plus([0, 0, 0], t, ray), -1, from);
        if (Math.abs(dot(hit, a)) <= dot(a, a) && Math.abs(dot(hit, b)) <= dot(b, b)) {
          nearest = t;
          best = i;
        }
      }
      return best;
    }
    function hover(event) {
      const box = $("view-tip"), area = canvas.getBoundingClientRect(), px = event.clientX - area.left, py = event.clientY - area.top,
            i = pick(px, py);
      box.style.display = i === undefined ? "none" : "block";
      if (i === undefined) return;
      box.textContent = [
        field.name[i], "on " + data.targets[field.target[i]].name,
        quantities[$("view-quantity").selectedIndex].title + " " + (isFinite(shown[i]) ? round(shown[i]) + " %" : "–")
      ].join("\n");
      box.style.left = Math.max(2, px > area.width / 2 ? px - box.offsetWidth - 8 : px + 18) + "px";
      box.style.top = py + 14 + "px";
    }

    // Pointer, wheel, keys.
    function turn(dx, dy) {
      camera.azimuth += dx;
      camera.elevation = Math.max(-5, Math.min(90, camera.elevation + dy));
      later();
    }
    function zoom(factor) {
      camera.distance = Math.max(0.02, Math.min(4, camera.distance * factor));
      later();
    }
    function move(dx, dy) {
      const now = pose(), step = now.reach * now.slope * 2 / canvas.clientHeight;
      camera.centre = plus(plus(camera.centre, -dx * step, now.right), dy * step, now.up);
      later();
    }
    const held = new Map();
    canvas.addEventListener("pointerdown", event => {
      canvas.focus({preventScroll: true});
      held.set(event.pointerId, event);
      $("view-tip").style.display = "none";
      try {
        canvas.setPointerCapture(event.pointerId);
      } catch { /* not a real pointer */
      }
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => held.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => {
      $("view-tip").style.display = "none";
    });
    canvas.addEventListener("pointermove", event => {
      const before = held.get(event.pointerId);
      if (!before) {
        hover(event);
        return;
      }
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      const other = [...held.values()].find(p => p.pointerId !== event.pointerId);
      if (other) {
        const gap = p => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
        zoom(gap(before) / Math.max(1, gap(event)));
        move(dx / 2, dy / 2);
      } else if (event.shiftKey || event.buttons === 2)
        move(dx, dy);
      else
        turn(0.4 * dx, 0.3 * dy);
      held.set(event.pointerId, event);
    });
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    // Without focus the wheel scrolls the page.
    canvas.addEventListener("wheel", event => {
      if (document.activeElement === canvas || event.ctrlKey) {
        event.preventDefault();
        zoom(Math.exp(0.0015 * event.deltaY));
      }
    }, {passive: false});
    canvas.addEventListener("keydown", event => {
      const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
      if (arrows && event.shiftKey)
        move(-30 * arrows[0], 30 * arrows[1]);
      else if (arrows)
        turn(5 * arrows[0], 5 * arrows[1]);
      else if (event.key === "+" || event.key === "=")
        zoom(0.87);
      else if (event.key === "-")
        zoom(1.15);
      else if (event.key === "Home")
        reset();
      else
        return;
      event.preventDefault();
    });
    $("view-reset").addEventListener("click", reset);
    $("view-above").addEventListener("click", () => {
      Object.assign(camera, {azimuth: 180, elevation: 90});
      fit();
    });
    $("view-quantity").addEventListener("change", () => {
      paint();
      later();
    });
    addEventListener("resize", later);
    document.addEventListener("theme", () => {
      paint();
      later();
    });
    for (const [name, on] of [["beforeprint", true], ["afterprint", false]])
      addEventListener(name, () => {
        printing = on;
        paint();
        draw();
      });
    canvas.addEventListener("webglcontextlost", event => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      start();
      paint();
      later();
    });
    start();
    paint();
    reset();
  })();
