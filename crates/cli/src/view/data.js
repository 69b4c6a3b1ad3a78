// The data of a run as the page has them: decoded columns, and quantities over time.
"use strict";

const fabricData = (() => {
  const FORMAT = 1;
  const NOT_OBSERVED = 0;
  const ALL_ZERO = 0xffffffff;
  /** The byte of the share 1. */
  const WHOLE = 250;

  function bytes(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const raw = atob(text);
    const all = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) all[i] = raw.charCodeAt(i);
    return all;
  }

  const integers = (text) => new Uint32Array(bytes(text).buffer);

  /** A number with three digits and an SI prefix. */
  function scaled(value, unit, base = 1) {
    const of = value * base;
    if (of === 0) return `0 ${unit}`;
    for (const [factor, prefix] of [[1e9, "G"], [1e6, "M"], [1e3, "K"], [1, ""]]) {
      if (Math.abs(of) >= factor * 0.9995) return `${Number((of / factor).toPrecision(3))} ${prefix}${unit}`;
    }
    return `${Number(of.toPrecision(3))} ${unit}`;
  }

  const size = (value) => scaled(value, "B");
  const rate = (bps) => scaled(bps, "bps");
  const percent = (share) => (share > 0 && share < 0.0005 ? "< 0.1%" : `${Number((share * 100).toFixed(1))}%`);
  const counted = (count, noun, many = `${noun}s`) => `${count} ${count === 1 ? noun : many}`;

  function time(ns) {
    for (const [factor, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "us"]]) {
      if (Math.abs(ns) >= factor) return `${Number((ns / factor).toPrecision(4))} ${unit}`;
    }
    return `${Number(ns.toPrecision(3))} ns`;
  }

  /** The length of a queue in units: four bits after the first one. */
  const units = (code) => (code < 32 ? code : (16 + (code % 16)) * 2 ** ((code >> 4) - 1));

  const KINDS = {
    utilization: {
      label: "Utilization", noun: "utilization", share: true,
      merged: "mean", legend: "share of the link's rate",
    },
    queue: {
      label: "Queue length", noun: "queue", share: false,
      merged: "longest", legend: "bytes in the queue of the sending port",
    },
    paused: {
      label: "Paused", noun: "paused", share: true,
      merged: "mean", legend: "share of the time in which PFC pauses the port",
    },
  };

  /** Values of each port and step. Step -1 is the whole run. */
  class Quantity {
    constructor(key, data, steps) {
      Object.assign(this, KINDS[key], { key, steps });
      this.rows = integers(data.rows);
      this.codes = bytes(data.values);
      this.unit = data.unit_bytes ?? 1;
      this.most = this.share ? 1 : Math.max(data.most_bytes, 2048);
      // Colors: shares are linear, lengths logarithmic from 1 KB up.
      this.levels = Uint8Array.from({ length: 256 }, (_, code) => this.levelOf(this.valueOf(code)));
    }

    valueOf(code) {
      return this.share ? Math.min(code / WHOLE, 1) : Math.min(units(code) * this.unit, this.most);
    }

    /** Position from 0 to 255 on the scale of colors. */
    levelOf(value) {
      if (value <= 0) return 0;
      if (this.share) return Math.max(1, Math.round(255 * Math.min(value, 1)));
      const place = Math.log(value / 1000) / Math.log(this.most / 1000);
      return 1 + Math.round(254 * Math.min(Math.max(place, 0), 1));
    }

    /** The inverse of levelOf, for the legend. */
    valueAt(place) {
      return this.share ? place : 1000 * (this.most / 1000) ** place;
    }

    observes(port) {
      return this.rows[port] !== NOT_OBSERVED;
    }

    code(port, step) {
      const row = this.rows[port];
      if (row === NOT_OBSERVED) return -1;
      if (row === ALL_ZERO) return 0;
      if (step < 0) return this.whole()[row - 1];
      return this.codes[(row - 1) * this.steps.count + step];
    }

    /** The value, or null if the port was not observed. */
    value(port, step) {
      const code = this.code(port, step);
      return code < 0 ? null : this.valueOf(code);
    }

    level(port, step) {
      const code = this.code(port, step);
      return code < 0 ? -1 : this.levels[code];
    }

    /** Codes of the whole run by row: means over time of shares, longest queues. */
    whole() {
      if (this.overall) return this.overall;
      const { count, lengths, total } = this.steps;
      const overall = new Uint8Array(this.codes.length / count);
      for (let row = 0; row < overall.length; row++) {
        const from = row * count;
        let sum = 0;
        for (let step = 0; step < count; step++) {
          const code = this.codes[from + step];
          sum = this.share ? sum + code * lengths[step] : Math.max(sum, code);
        }
        overall[row] = this.share ? Math.round(sum / total) : sum;
      }
      this.overall = overall;
      return overall;
    }

    format(value) {
      if (value === null) return "not observed";
      return this.share ? percent(value) : size(value);
    }
  }

  function steps(data) {
    const ends = data.ends_ns;
    const lengths = ends.map((end, i) => end - (i > 0 ? ends[i - 1] : data.begin_ns));
    return {
      begin: data.begin_ns,
      ends,
      lengths,
      count: ends.length,
      samples: data.samples,
      total: Math.max(ends[ends.length - 1] - data.begin_ns, 1e-9),
    };
  }

  /** The links at each node, as ranges of a list of ports. */
  function portsOf(node, count) {
    const begin = new Uint32Array(count + 1);
    for (const own of node) begin[own + 1]++;
    for (let i = 0; i < count; i++) begin[i + 1] += begin[i];
    const next = begin.slice();
    const list = new Uint32Array(node.length);
    node.forEach((own, port) => (list[next[own]++] = port));
    return (own) => list.subarray(begin[own], begin[own + 1]);
  }

  function decode(data) {
    if (data.format !== FORMAT) throw new Error(`data of format ${data.format}`);
    const { fabric } = data;
    const node = integers(fabric.node);
    const other = integers(fabric.other);
    const tier = integers(fabric.tier);
    const rates = integers(fabric.rate);
    const delays = integers(fabric.delay);
    const model = {
      title: data.title,
      status: data.status ?? null,
      end: data.end_ns ?? null,
      kind: data.topology?.kind ?? null,
      nodes: fabric.names.length,
      names: fabric.names,
      numbers: integers(fabric.numbers),
      isHost: bytes(fabric.is_host),
      ports: node.length,
      node,
      portNumber: integers(fabric.port),
      other,
      peer: (port) => node[other[port]],
      tierOf: (port) => fabric.tiers[tier[port]],
      rateOf: (port) => fabric.rates_bps[rates[port]],
      delayOf: (port) => fabric.delays_ns[delays[port]],
      portsOf: portsOf(node, fabric.names.length),
      events: data.events ?? [],
      flows: data.flows ?? null,
      notes: data.notes ?? [],
      steps: null,
      quantities: {},
      marked: new Map(data.series?.marked ?? []),
      dropped: new Map(data.series?.dropped ?? []),
    };
    model.portName = (port) => `${model.names[node[port]]} -> ${model.names[model.peer(port)]}`;
    if (data.series) {
      model.steps = steps(data.series.steps);
      for (const key of Object.keys(KINDS)) {
        if (data.series[key]) model.quantities[key] = new Quantity(key, data.series[key], model.steps);
      }
    }
    return model;
  }

  return { decode, size, rate, percent, counted, time };
})();
