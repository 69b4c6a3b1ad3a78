// What is visible at a zoom: nodes, or the groups that stand for them, and the bundles of links
// between them.
"use strict";

const fabricScene = (() => {
  /** Nodes with less room than this, in pixels, collapse into groups. */
  const LEAST_HOST = 7;
  const LEAST_SWITCH = 9;
  const LEAST_GROUP = 9;

  /** The camera: pixels of the unit square, zoom and offset. */
  class Camera {
    constructor() {
      this.width = 300;
      this.height = 150;
      this.fit();
    }

    fit() {
      this.zoom = 1;
      this.x = 0;
      this.y = 0;
    }

    get pad() {
      return Math.min(24, this.width * 0.04);
    }

    get spanX() {
      return (this.width - 2 * this.pad) * this.zoom;
    }

    get spanY() {
      return (this.height - 2 * this.pad) * this.zoom;
    }

    toX(u) {
      return this.pad * this.zoom + u * this.spanX + this.x;
    }

    toY(v) {
      return this.pad * this.zoom + v * this.spanY + this.y;
    }

    /** Zooms by a factor around a point of the canvas. */
    zoomAt(factor, x, y) {
      const zoom = Math.min(Math.max(this.zoom * factor, 0.5), 4000);
      const real = zoom / this.zoom;
      this.x = x - (x - this.x) * real;
      this.y = y - (y - this.y) * real;
      this.zoom = zoom;
      this.limit();
    }

    panBy(x, y) {
      this.x += x;
      this.y += y;
      this.limit();
    }

    /** Keeps a part of the fabric in view. */
    limit() {
      const [w, h] = [this.width * this.zoom, this.height * this.zoom];
      this.x = Math.min(Math.max(this.x, this.width * 0.3 - w), this.width * 0.7);
      this.y = Math.min(Math.max(this.y, this.height * 0.3 - h), this.height * 0.7);
    }

    /** Centers a place, at least at a zoom. */
    center(u, v, zoom) {
      this.zoom = Math.max(this.zoom, zoom);
      this.x = this.width / 2 - this.pad * this.zoom - u * this.spanX;
      this.y = this.height / 2 - this.pad * this.zoom - v * this.spanY;
      this.limit();
    }
  }

  /** Chooses the representatives of all nodes; `key` changes if they do. */
  function representatives(model, layout, camera) {
    const open = layout.groups.map((group) => (group.u1 - group.u0) * camera.spanX >= LEAST_GROUP);
    const of = new Int32Array(model.nodes);
    const list = [];
    const groupAt = new Map();
    let key = "";
    for (let node = 0; node < model.nodes; node++) {
      const least = model.isHost[node] ? LEAST_HOST : LEAST_SWITCH;
      const groups = layout.groupsOf[node];
      if (layout.w[node] * camera.spanX >= least || groups.length === 0) {
        of[node] = list.length;
        list.push({ node, group: null, members: [node] });
        continue;
      }
      const chosen = groups.find((group) => open[group]) ?? groups[groups.length - 1];
      if (!groupAt.has(chosen)) {
        groupAt.set(chosen, list.length);
        list.push({ node: -1, group: layout.groups[chosen], members: [] });
        key += `${chosen},`;
      }
      of[node] = groupAt.get(chosen);
      list[of[node]].members.push(node);
    }
    for (const own of list) {
      if (own.group) own.members.sort((a, b) => layout.u[a] - layout.u[b]);
    }
    return { of, list, key: `${key} ${list.length}` };
  }

  /** Bundles of the links between two representatives, one for each direction. */
  function bundles(model, reps) {
    const found = new Map();
    const size = reps.list.length;
    for (let port = 0; port < model.ports; port++) {
      const [a, b] = [reps.of[model.node[port]], reps.of[model.peer(port)]];
      if (a === b || stripsAt(model, reps, a) || stripsAt(model, reps, b)) continue;
      const key = a * size + b;
      const own = found.get(key);
      if (own) own.ports.push(port);
      else found.set(key, { a, b, ports: [port] });
    }
    return [...found.values()];
  }

  /** Collapsed hosts show their links in the strip itself. */
  const stripsAt = (model, reps, at) => {
    const { group, members } = reps.list[at];
    return group !== null && model.isHost[members[0]] === 1;
  };

  /** The rectangle of a representative in pixels of the canvas. */
  function box(model, layout, camera, rep) {
    if (rep.group) {
      const { u0, u1, v0, v1, round } = rep.group;
      const [x, y] = [camera.toX((u0 + u1) / 2), camera.toY((v0 + v1) / 2)];
      const w = Math.max((u1 - u0) * camera.spanX * (round ? 0.8 : 1), 3);
      const most = model.isHost[rep.members[0]] ? 22 : 14;
      return { x, y, w, h: Math.min(Math.max((v1 - v0) * camera.spanY * 0.5, 4), most) };
    }
    const { node } = rep;
    const host = model.isHost[node];
    const w = Math.min(layout.w[node] * camera.spanX * 0.7, host ? 18 : 46);
    const h = Math.min(layout.h[node] * camera.spanY * 0.5, host ? 18 : 22);
    const least = 3;
    return { x: camera.toX(layout.u[node]), y: camera.toY(layout.v[node]), w: Math.max(w, least), h: Math.max(h, least) };
  }

  /** The lines of a bundle in pixels: lists of points. */
  function lines(layout, bundle, boxes, reps) {
    const [a, b] = [boxes[bundle.a], boxes[bundle.b]];
    const clamp = (own, to) => {
      const room = Math.max(own.w / 2 - 2, 0);
      return Math.min(Math.max(to.x, own.x - room), own.x + room);
    };
    const wideA = reps.list[bundle.a].group !== null;
    const wideB = reps.list[bundle.b].group !== null;
    const [ax, ay] = [wideA ? clamp(a, b) : a.x, a.y];
    const [bx, by] = [wideB ? clamp(b, a) : b.x, b.y];
    const [na, nb] = [reps.list[bundle.a].node, reps.list[bundle.b].node];
    if (layout.wraps && na >= 0 && nb >= 0 && layout.wraps(na, nb)) {
      const [dx, dy] = [bx - ax, by - ay];
      const length = Math.hypot(dx, dy) || 1;
      const stub = Math.max(a.w, a.h) * 0.9 + 6;
      const [sx, sy] = [(-dx / length) * stub, (-dy / length) * stub];
      return [[ax, ay, ax + sx, ay + sy]];
    }
    const isLevel = layout.rows.length > 0 && Math.abs(ay - by) < 1;
    if (!isLevel) return [[ax, ay, bx, by]];
    // Links within a row are arcs above it.
    const rise = Math.min(Math.abs(bx - ax) * 0.25 + 6, 60);
    const points = [];
    for (let i = 0; i <= 8; i++) {
      const t = i / 8;
      points.push(ax + (bx - ax) * t, ay - rise * 4 * t * (1 - t));
    }
    return [points];
  }

  /** The distance of a point to a list of points. */
  function distance(points, x, y) {
    let least = Infinity;
    for (let i = 0; i + 3 < points.length; i += 2) {
      const [ax, ay, bx, by] = points.slice(i, i + 4);
      const [dx, dy] = [bx - ax, by - ay];
      const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1);
      const t = Math.min(Math.max(along, 0), 1);
      least = Math.min(least, Math.hypot(x - ax - dx * t, y - ay - dy * t));
    }
    return least;
  }

  return { Camera, representatives, bundles, box, lines, distance };
})();
