// A headless Chromium with one page, through the pipe of its debugging protocol.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The longest wait for an answer of the browser, in milliseconds. */
const PATIENCE = 60_000;

export class Browser {
  /** Starts Chromium. */
  static async start() {
    const own = new Browser();
    own.profile = mkdtempSync(join(tmpdir(), "fabricsim-chromium-"));
    own.process = spawn("chromium", [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
      `--user-data-dir=${own.profile}`, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    own.last = 0;
    own.waiting = new Map();
    own.said = [];
    let rest = "";
    own.process.stdio[4].on("data", (bytes) => {
      const parts = (rest + bytes).split("\0");
      rest = parts.pop();
      parts.forEach((part) => own.receive(JSON.parse(part)));
    });
    const { targetInfos } = await own.send("Target.getTargets");
    const { targetId } = targetInfos.find((target) => target.type === "page");
    own.session = (await own.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    await own.send("Page.enable");
    await own.send("Runtime.enable");
    await own.send("Log.enable");
    return own;
  }

  receive(message) {
    const { id, method, params, result, error } = message;
    if (id !== undefined) {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
    } else if (method === "Runtime.exceptionThrown") {
      this.said.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(params.type)) {
      this.said.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
    } else if (method === "Log.entryAdded" && params.entry.level === "error") {
      this.said.push(params.entry.text);
    } else if (method === "Page.loadEventFired") {
      this.loaded?.();
    }
  }

  send(method, params = {}) {
    const id = ++this.last;
    const message = { id, method, params, sessionId: this.session };
    this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), PATIENCE);
      timer.unref();
      this.waiting.set(id, { resolve, reject });
    });
  }

  /** Opens a page in a window of this size. */
  async open(address, width, height, { dark = false, phone = false } = {}) {
    this.said = [];
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: phone ? 2 : 1, mobile: phone });
    await this.send("Emulation.setTouchEmulationEnabled", { enabled: phone });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    const loaded = new Promise((resolve) => (this.loaded = resolve));
    await this.send("Page.navigate", { url: address });
    await loaded;
  }

  /** Evaluates an expression in the page. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async click(x, y) {
    for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    }
    await this.frame();
  }

  /** Presses a key, such as Enter or a letter. */
  async press(key) {
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key });
    await this.frame();
  }

  async type(text) {
    await this.send("Input.insertText", { text });
    await this.frame();
  }

  /** Waits until the page has painted. */
  frame() {
    return this.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
  }

  async screenshot() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  /** Ends the browser. */
  async end() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    await ended;
  }
}
