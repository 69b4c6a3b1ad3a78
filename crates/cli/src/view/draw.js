// The picture: paints a scene on a canvas, and tells what is at a point of it.
"use strict";

const fabricDraw = (() => {
  /** Darker is more on a light page, brighter on a dark one, so that hues are not needed. */
  const LIGHT = ["#f8e7b4", "#f7c663", "#f08a2e", "#d7401b", "#860a20"];
  const DARK = ["#4b3566", "#8a3272", "#cf4a52", "#f79433", "#fff3a0"];

  /** Colors of the levels 0 to 255; gray for 0. */
  function ramp(stops, none) {
    const rgb = stops.map((color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)));
    const colors = [none];
    for (let level = 1; level < 256; level++) {
      const place = ((level - 1) / 254) * (rgb.length - 1);
      const low = Math.min(Math.floor(place), rgb.length - 2);
      const mixed = rgb[low].map((from, i) => Math.round(from + (rgb[low + 1][i] - from) * (place - low)));
      colors.push(`rgb(${mixed.join()})`);
    }
    return colors;
  }

  function theme(isDark) {
    return isDark
      ? { colors: ramp(DARK, "#39434d"), page: "#14181c", ink: "#e6e9ec", soft: "#98a2ac", none: "#2b333b", accent: "#c58bff", bad: "#ff8a80" }
      : { colors: ramp(LIGHT, "#d3dae1"), page: "#ffffff", ink: "#1c2024", soft: "#5d6873", none: "#e6eaee", accent: "#7a1fd1", bad: "#b3261e" };
  }

  class Picture {
    constructor(canvas, model, layout) {
      Object.assign(this, { canvas, model, layout });
      this.camera = new fabricScene.Camera();
      this.context = canvas.getContext("2d");
      this.scene = null;
      this.theme = theme(false);
    }

    setTheme(isDark) {
      this.theme = theme(isDark);
    }

    resize() {
      const { clientWidth, clientHeight } = this.canvas;
      const ratio = Math.min(window.devicePixelRatio || 1, 2);
      const { camera } = this;
      const [dx, dy] = [clientWidth / camera.width, clientHeight / camera.height];
      camera.width = Math.max(clientWidth, 50);
      camera.height = Math.max(clientHeight, 50);
      if (camera.zoom === 1) camera.fit();
      else [camera.x, camera.y] = [camera.x * dx, camera.y * dy];
      this.canvas.width = Math.round(camera.width * ratio);
      this.canvas.height = Math.round(camera.height * ratio);
      this.ratio = ratio;
    }

    /** Builds the scene again if other nodes are visible. */
    build() {
      const reps = fabricScene.representatives(this.model, this.layout, this.camera);
      if (this.scene?.reps.key !== reps.key) {
        this.scene = { reps, bundles: fabricScene.bundles(this.model, reps) };
      }
      const { scene, camera } = this;
      scene.boxes = scene.reps.list.map((rep) => fabricScene.box(this.model, this.layout, camera, rep));
      for (const bundle of scene.bundles) {
        bundle.lines = fabricScene.lines(this.layout, bundle, scene.boxes, scene.reps);
      }
    }

    /** Levels of all ports and, as the largest of their ports, of all nodes. */
    levels({ quantity, step }) {
      const { model } = this;
      const ports = new Int16Array(model.ports).fill(-1);
      const nodes = new Int16Array(model.nodes).fill(-1);
      if (quantity) {
        for (let port = 0; port < model.ports; port++) {
          const level = quantity.level(port, step);
          ports[port] = level;
          if (level > nodes[model.node[port]]) nodes[model.node[port]] = level;
        }
      }
      return { ports, nodes };
    }

    isVisible(points) {
      let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
      for (let i = 0; i < points.length; i += 2) {
        x0 = Math.min(x0, points[i]);
        x1 = Math.max(x1, points[i]);
        y0 = Math.min(y0, points[i + 1]);
        y1 = Math.max(y1, points[i + 1]);
      }
      return x1 > -20 && x0 < this.camera.width + 20 && y1 > -20 && y0 < this.camera.height + 20;
    }

    /** Paints everything. `state`: quantity, step, down ports and nodes, marks. */
    draw(state) {
      this.build();
      const { context, camera, theme } = this;
      this.shown = this.levels(state);
      this.isPlain = !state.quantity;
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      context.lineJoin = "round";
      context.fillStyle = theme.page;
      context.fillRect(0, 0, camera.width, camera.height);
      this.drawBundles(state);
      this.drawBrackets();
      this.drawNodes(state);
      this.drawMarks(state);
      this.drawRows();
    }

    color(level) {
      // Without any observation, nothing needs to be set apart from what was not observed.
      if (level < 0) return this.isPlain ? this.theme.soft : this.theme.none;
      return this.theme.colors[level];
    }

    stroke(points, color, width, shift = 0) {
      const { context } = this;
      const [ax, ay] = points;
      const [bx, by] = points.slice(-2);
      const length = Math.hypot(bx - ax, by - ay) || 1;
      const [sx, sy] = [(-(by - ay) / length) * shift, ((bx - ax) / length) * shift];
      context.strokeStyle = color;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(ax + sx, ay + sy);
      for (let i = 2; i < points.length; i += 2) context.lineTo(points[i] + sx, points[i + 1] + sy);
      context.stroke();
    }

    drawBundles({ down }) {
      const { scene, shown } = this;
      const strokes = [];
      for (const bundle of scene.bundles) {
        if (!bundle.lines.some((points) => this.isVisible(points))) continue;
        const levels = bundle.ports.map((port) => (down.ports.has(port) ? -2 : shown.ports[port]));
        levels.sort((a, b) => b - a);
        // A bundle has stripes for its links: the largest, the smallest, and some between them.
        const stripes = Math.min(levels.length, 4);
        for (let i = 0; i < stripes; i++) {
          const at = stripes === 1 ? 0 : Math.round((i * (levels.length - 1)) / (stripes - 1));
          strokes.push({ bundle, level: levels[at], shift: 1.2 + i * 1.5, stripes });
        }
      }
      const isCrowded = strokes.length > 1500;
      strokes.sort((a, b) => a.level - b.level);
      const { context } = this;
      for (const { bundle, level, shift, stripes } of strokes) {
        const isDown = level === -2;
        const width = isDown ? 1.2 : (isCrowded ? 0.7 : 1) + (Math.max(level, 0) / 255) * (stripes > 1 ? 0.8 : 1.8);
        context.setLineDash(isDown ? [4, 4] : []);
        // Idle links step back.
        context.globalAlpha = isCrowded && !isDown && level <= 0 ? 0.35 : 1;
        for (const points of bundle.lines) {
          this.stroke(points, isDown ? this.theme.bad : this.color(level), width, shift);
        }
      }
      context.setLineDash([]);
      context.globalAlpha = 1;
      for (const bundle of scene.bundles) {
        const lost = bundle.ports.some((port) => down.ports.has(port));
        if (lost && bundle.a < bundle.b) this.crossBundle(bundle);
      }
    }

    crossBundle(bundle) {
      for (const points of bundle.lines) {
        const middle = points.length / 4 > 1 ? Math.floor(points.length / 4) * 2 : 0;
        const x = points.length === 4 ? (points[0] + points[2]) / 2 : points[middle];
        const y = points.length === 4 ? (points[1] + points[3]) / 2 : points[middle + 1];
        this.cross(x, y, 5);
      }
    }

    cross(x, y, size) {
      this.stroke([x - size, y - size, x + size, y + size], this.theme.bad, 2);
      this.stroke([x - size, y + size, x + size, y - size], this.theme.bad, 2);
    }

    /** Joins strips of hosts to their switch. */
    drawBrackets() {
      const { scene, layout, model, theme } = this;
      scene.reps.list.forEach((rep, at) => {
        if (!rep.group || !model.isHost[rep.members[0]]) return;
        const home = layout.home[rep.members[0]];
        if (home < 0 || layout.home[rep.members.at(-1)] !== home) return;
        const above = scene.reps.list[scene.reps.of[home]];
        if (above.group) return;
        const [low, high] = [scene.boxes[at], scene.boxes[scene.reps.of[home]]];
        for (const side of [-1, 1]) {
          const [x, top] = [low.x + (side * low.w) / 2, low.y - low.h / 2];
          this.stroke([high.x + (side * high.w) / 2, high.y + high.h / 2, x, top], theme.soft, 0.6);
        }
      });
    }

    drawNodes({ down }) {
      const { scene, camera } = this;
      scene.reps.list.forEach((rep, at) => {
        const box = scene.boxes[at];
        if (box.x + box.w / 2 < -50 || box.x - box.w / 2 > camera.width + 50) return;
        if (box.y + 60 < 0 || box.y - 60 > camera.height) return;
        if (rep.group) this.drawGroup(rep, box);
        else this.drawNode(rep.node, box);
        if (down.nodes.size === 0) return;
        for (const node of rep.members) {
          if (!down.nodes.has(node)) continue;
          this.cross(rep.group ? camera.toX(this.layout.u[node]) : box.x, box.y, 7);
        }
      });
    }

    drawNode(node, { x, y, w, h }) {
      const { context, model, theme } = this;
      const host = model.isHost[node] === 1;
      context.fillStyle = theme.page;
      context.fillRect(x - w / 2 - 1, y - h / 2 - 1, w + 2, h + 2);
      context.fillStyle = this.color(this.shown.nodes[node]);
      context.fillRect(x - w / 2, y - h / 2, w, h);
      context.strokeStyle = theme.soft;
      context.lineWidth = host ? 0.6 : 1;
      context.strokeRect(x - w / 2, y - h / 2, w, h);
      const name = model.names[node].split("/").pop();
      const { layout, camera } = this;
      const [wide, high] = [layout.w[node] * camera.spanX, layout.h[node] * camera.spanY];
      const isFlat = layout.rows.length === 0;
      if (wide < 6.5 * name.length || wide < 20 || (isFlat && high < 26)) return;
      this.write(name, x, isFlat && !host ? y - h / 2 - 4 : y + h / 2 + 11);
    }

    /** Writes a word on a background that keeps lines off. */
    write(word, x, y) {
      const { context, theme } = this;
      context.font = "11px system-ui, sans-serif";
      context.textAlign = "center";
      context.lineWidth = 3;
      context.strokeStyle = theme.page;
      context.strokeText(word, x, y);
      context.fillStyle = theme.ink;
      context.fillText(word, x, y);
      context.textAlign = "start";
    }

    /** A cell for each pixel, with the largest level of the nodes there. */
    drawGroup(rep, { x, y, w, h }) {
      const { context, model, layout, theme } = this;
      const host = model.isHost[rep.members[0]] === 1;
      const [left, top] = [x - w / 2, y - h / 2];
      context.fillStyle = theme.page;
      context.fillRect(left - 1, top - 1, w + 2, h + 2);
      const { u0, u1 } = rep.group;
      const cells = Math.max(1, Math.min(Math.round(w), rep.members.length));
      const rows = host ? 2 : 1;
      const levels = new Int16Array(cells * rows).fill(-1);
      rep.members.forEach((node, i) => {
        const share = u1 > u0 && !rep.group.round ? (layout.u[node] - u0) / (u1 - u0) : i / rep.members.length;
        const cell = Math.min(Math.floor(share * cells), cells - 1);
        const put = (row, level) => {
          levels[row * cells + cell] = Math.max(levels[row * cells + cell], level);
        };
        if (!host) return put(0, this.shown.nodes[node]);
        for (const port of model.portsOf(node)) {
          put(0, this.shown.ports[model.other[port]]);
          put(1, this.shown.ports[port]);
        }
      });
      for (let row = 0; row < rows; row++) {
        for (let cell = 0; cell < cells; cell++) {
          context.fillStyle = this.color(levels[row * cells + cell]);
          const width = w / cells - (w / cells > 3 ? 0.6 : -0.3);
          context.fillRect(left + (cell * w) / cells, top + (row * h) / rows, width, h / rows - (rows > 1 ? 0.5 : 0));
        }
      }
      context.strokeStyle = theme.soft;
      context.lineWidth = 0.5;
      context.strokeRect(left, top, w, h);
    }

    /** Names of tiers at the left, whatever part is in view. */
    drawRows() {
      const { context, camera, theme } = this;
      context.font = "12px system-ui, sans-serif";
      context.textAlign = "start";
      for (const row of this.layout.rows) {
        const y = camera.toY(row.v) - Math.min(26, (camera.spanY / this.layout.rows.length) * 0.3);
        const words = `${row.name} (${row.count})`;
        const width = context.measureText(words).width;
        context.fillStyle = theme.page;
        context.globalAlpha = 0.8;
        context.fillRect(2, y - 11, width + 8, 15);
        context.globalAlpha = 1;
        context.fillStyle = theme.ink;
        context.fillText(words, 6, y);
      }
      for (const { text, u, v } of this.layout.labels) this.write(text, camera.toX(u), camera.toY(v));
    }

    /** Marks of a selection: nodes, links, and a path that is certain or only possible. */
    drawMarks({ marks }) {
      const { context, theme, camera, layout, model } = this;
      const ends = (port) => {
        const place = (node) => [camera.toX(layout.u[node]), camera.toY(layout.v[node])];
        return [...place(model.node[port]), ...place(model.peer(port))];
      };
      context.lineCap = "round";
      context.setLineDash([3, 5]);
      for (const port of marks.possible) this.stroke(ends(port), theme.accent, 1.5);
      context.setLineDash([]);
      for (const port of marks.ports) {
        this.stroke(ends(port), theme.page, 6);
        this.stroke(ends(port), theme.accent, 3.5);
        this.arrow(ends(port));
      }
      context.lineCap = "butt";
      context.strokeStyle = theme.accent;
      context.lineWidth = 2.5;
      for (const node of marks.nodes) {
        const at = this.scene.reps.of[node];
        const { h } = this.scene.boxes[at];
        const x = camera.toX(layout.u[node]);
        const y = camera.toY(layout.v[node]);
        context.beginPath();
        context.arc(x, y, Math.max(9, h / 2 + 6), 0, 2 * Math.PI);
        context.stroke();
      }
      this.drawnMarks = marks.ports.length + marks.possible.length + marks.nodes.length;
    }

    arrow([ax, ay, bx, by]) {
      const length = Math.hypot(bx - ax, by - ay);
      if (length < 24) return;
      const [dx, dy] = [(bx - ax) / length, (by - ay) / length];
      const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
      const { context } = this;
      context.fillStyle = this.theme.accent;
      context.beginPath();
      context.moveTo(x + dx * 8, y + dy * 8);
      context.lineTo(x - dx * 5 - dy * 6, y - dy * 5 + dx * 6);
      context.lineTo(x - dx * 5 + dy * 6, y - dy * 5 - dx * 6);
      context.fill();
    }

    /** Returns the node or the links at a point: `{ node }`, `{ ports }` or null. */
    hit(x, y, reach) {
      const { scene, layout, camera, shown } = this;
      if (!scene?.boxes) return null;
      for (let at = scene.boxes.length - 1; at >= 0; at--) {
        const box = scene.boxes[at];
        if (Math.abs(x - box.x) > box.w / 2 + 2 || Math.abs(y - box.y) > box.h / 2 + 2) continue;
        const { members, group } = scene.reps.list[at];
        if (members.length === 1) return { node: members[0], group: null };
        // Of the nodes under the pointer, the one with the largest value.
        const away = (node) => Math.abs(camera.toX(layout.u[node]) - x);
        const nearest = Math.min(...members.map(away));
        const near = members.filter((node) => away(node) <= nearest + 1.5);
        const levelOf = (node) => this.hostLevel(node);
        return { node: near.reduce((best, node) => (levelOf(node) > levelOf(best) ? node : best)), group };
      }
      let best = null;
      let least = reach;
      for (const bundle of scene.bundles) {
        for (const points of bundle.lines) {
          const away = fabricScene.distance(points, x, y);
          if (away < least) [least, best] = [away, bundle];
        }
      }
      if (!best) return null;
      const back = scene.bundles.find((own) => own.a === best.b && own.b === best.a);
      const ports = [...best.ports, ...(back?.ports ?? [])];
      return { ports: ports.sort((a, b) => shown.ports[b] - shown.ports[a] || a - b) };
    }

    /** The level of a node; of a host also in the direction to it. */
    hostLevel(node) {
      const { model, shown } = this;
      let level = shown.nodes[node];
      if (model.isHost[node]) {
        for (const port of model.portsOf(node)) level = Math.max(level, shown.ports[model.other[port]]);
      }
      return level;
    }

    /** Moves the camera to a node, near enough to see it by itself. */
    goTo(node) {
      const { camera, layout, model } = this;
      const least = model.isHost[node] ? 22 : 30;
      camera.center(layout.u[node], layout.v[node], Math.min(least / (layout.w[node] * (camera.spanX / camera.zoom)), 4000));
    }
  }

  return { Picture, ramp, theme };
})();
