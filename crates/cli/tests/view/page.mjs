// Checks pages of `fabricsim view` in Chromium: node page.mjs FOLDER, with the pages small.html (with
// links, queues, delays and failures) and large.html (8,192 hosts). Pictures go into the folder.
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const SIZES = { desktop: [1280, 800], phone: [390, 844] };
/** The longest time to open the page of 8,192 hosts, in milliseconds. */
const MOST_MS = Number(process.env.VIEW_MS ?? 2000);

const folder = resolve(process.argv[2]);
const address = (name) => pathToFileURL(`${folder}/${name}`).href;
let failures = 0;

function check(what, holds) {
  if (holds) return;
  failures += 1;
  console.error(`FAILED: ${what}`);
}

const picture = "document.querySelector('canvas.fabric').toDataURL().length + document.querySelector('canvas.fabric').toDataURL()";
const view = "document.getElementById('fabric').fabric";
const button = (text) => `[...document.querySelectorAll('.fabric-view button')].find((own) => own.textContent === ${JSON.stringify(text)})`;

/** The place of a link on the screen: the middle of a line of the scene. */
const placeOfLink = `(() => {
  const { picture, canvas } = ${view};
  const box = canvas.getBoundingClientRect();
  const free = (x, y) => picture.hit(x, y, 5)?.ports?.length === 2;
  for (const { lines: [points] } of picture.scene.bundles) {
    const [x, y] = [(points[0] + points[2]) / 2, (points[1] + points[3]) / 2];
    if (free(x, y)) return { x: box.left + x, y: box.top + y };
  }
  return null;
})()`;

async function checkTime(browser, name) {
  const whole = await browser.evaluate(picture);
  await browser.evaluate("document.querySelector('.slider').focus()");
  await browser.press("ArrowRight");
  await browser.evaluate(`${view}.setStep(3)`);
  await browser.frame();
  const third = await browser.evaluate(picture);
  check(`${name}: the slider changes the picture`, whole !== third);
  await browser.evaluate("(() => { const own = document.querySelector('.slider'); own.value = 12; own.dispatchEvent(new Event('input')); })()");
  await browser.frame();
  check(`${name}: the slider selects a step`, (await browser.evaluate(`${view}.state.step`)) === 12);
  check(`${name}: another step, another picture`, (await browser.evaluate(picture)) !== third);
  await browser.evaluate(`${button("Play")}.click()`);
  await browser.evaluate("new Promise((done) => setTimeout(done, 1500))");
  const step = await browser.evaluate(`${view}.state.step`);
  check(`${name}: play moves on (step ${step})`, step > 12);
  await browser.evaluate(`${button("Pause")}.click()`);
  await browser.evaluate(`${button("Whole run")}.click()`);
  await browser.frame();
  check(`${name}: the whole run is as at first`, (await browser.evaluate(picture)) === whole);
}

async function checkFailures(browser, name) {
  await browser.evaluate(`${view}.setTime(250e3)`);
  await browser.frame();
  const said = await browser.evaluate("document.querySelector('.picture > .said').textContent");
  check(`${name}: failures are shown (${said})`, said.includes("down: 5 links and 1 switch"));
  await browser.evaluate(`${view}.setTime(700e3)`);
  const later = await browser.evaluate("document.querySelector('.picture > .said').textContent");
  check(`${name}: repairs are shown (${later})`, later.includes("down: 0 links and 0 switches"));
  await browser.evaluate(`${button("Whole run")}.click()`);
}

async function checkSearch(browser, name) {
  await browser.evaluate("document.querySelector('.search input').focus()");
  await browser.type("agg1");
  const first = await browser.evaluate("document.querySelector('.found button')?.textContent");
  check(`${name}: search finds agg1 (${first})`, first === "agg1");
  await browser.press("Enter");
  const title = await browser.evaluate("document.querySelector('.selection h2')?.textContent");
  check(`${name}: a result opens its panel (${title})`, title === "Switch agg1");
  check(`${name}: a result is marked`, (await browser.evaluate(`${view}.picture.drawnMarks`)) > 0);
  await browser.press("Escape");
  await browser.evaluate(`${button("Fit")}.click()`);
  await browser.frame();
}

async function checkSelection(browser, name) {
  const at = await browser.evaluate(placeOfLink);
  check(`${name}: a link has a place`, at !== null);
  if (at === null) return;
  await browser.click(at.x, at.y);
  const title = await browser.evaluate("document.querySelector('.selection h2')?.textContent ?? ''");
  check(`${name}: a click opens a link (${title})`, title.startsWith("Link "));
  const charts = await browser.evaluate("document.querySelectorAll('.selection svg path').length");
  check(`${name}: a link has charts of its series (${charts} lines)`, charts >= 3);
  const value = await browser.evaluate(`(() => {
    const { model, state: { chosen: { ports: [port] } } } = ${view};
    return model.quantities.utilization.value(port, -1);
  })()`);
  const shown = await browser.evaluate("document.querySelector('.selection .now li').textContent");
  check(`${name}: the panel has its utilization (${shown})`, shown.includes(`utilization ${Number((value * 100).toFixed(1))}%`));
}

async function checkFlow(browser, name) {
  const number = await browser.evaluate(`${view}.model.flows.rows[1][0]`);
  await browser.evaluate("window.scrollTo(0, 0); document.querySelector('.ask input').focus()");
  await browser.type(String(number));
  await browser.press("Enter");
  const title = await browser.evaluate("document.querySelector('.selection h2')?.textContent ?? ''");
  check(`${name}: the box shows a flow (${title})`, title.startsWith(`Flow ${number}: `));
  const ends = await browser.evaluate(`(() => {
    const { model, picture: { marks } } = ${view};
    const all = [...marks.ports, ...marks.possible];
    const [, from, to] = model.flows.rows[1];
    return { length: all.length, from: all.some((port) => model.node[port] === from), to: all.some((port) => model.peer(port) === to) };
  })()`);
  check(`${name}: the path leads from the sender to the receiver (${ends.length} links)`, ends.length >= 2 && ends.from && ends.to);
  const sum = await browser.evaluate(`(() => {
    const { model } = ${view};
    const sum = model.flows.parts[1].reduce((all, part) => all + part[4], 0);
    return Math.abs(sum - model.flows.rows[1][6]);
  })()`);
  check(`${name}: the parts add up (off by ${sum} ns)`, sum < 0.01);
  const rows = await browser.evaluate("document.querySelectorAll('.selection tbody tr').length");
  check(`${name}: the panel lists the parts (${rows})`, rows >= 4);
}

async function checkKeys(browser, name) {
  await browser.evaluate("document.querySelector('canvas.fabric').focus()");
  await browser.press("+");
  const zoom = await browser.evaluate(`${view}.picture.camera.zoom`);
  check(`${name}: plus zooms in (${zoom})`, zoom > 1.3);
  const before = await browser.evaluate(`${view}.picture.camera.x`);
  await browser.press("ArrowRight");
  check(`${name}: arrows move`, (await browser.evaluate(`${view}.picture.camera.x`)) < before);
  await browser.press("0");
  check(`${name}: 0 fits`, (await browser.evaluate(`${view}.picture.camera.zoom`)) === 1);
  const nameless = await browser.evaluate(`[...document.querySelectorAll('.fabric-view button, .fabric-view input, .fabric-view select, canvas.fabric')]
    .filter((own) => !own.textContent.trim() && !own.getAttribute('aria-label')).length`);
  check(`${name}: every control has a name`, nameless === 0);
}

async function checkPage(browser, page, name, { dark = false } = {}) {
  const [width, height] = SIZES[name];
  await browser.open(address(page), width, height, { dark, phone: name === "phone" });
  await browser.frame();
  const opened = await browser.evaluate("performance.getEntriesByName('fabric-drawn')[0]?.startTime ?? null");
  check(`${page}, ${name}: the picture is drawn`, opened !== null);
  const over = await browser.evaluate("document.documentElement.scrollWidth - window.innerWidth");
  check(`${page}, ${name}: nothing is wider than the screen (by ${over} pixels)`, over <= 0);
  writeFileSync(`${folder}/${page.replace(".html", "")}-${name}${dark ? "-dark" : ""}.png`, await browser.screenshot());
  return opened;
}

function checkConsole(browser, name) {
  check(`${name}: no errors (${browser.said.join("; ")})`, browser.said.length === 0);
}

const browser = await Browser.start();
try {
  for (const name of Object.keys(SIZES)) {
    await checkPage(browser, "small.html", name, { dark: name === "phone" });
    await checkTime(browser, name);
    await checkFailures(browser, name);
    await checkSearch(browser, name);
    await checkSelection(browser, name);
    await checkFlow(browser, name);
    await checkKeys(browser, name);
    checkConsole(browser, name);
  }
  const opened = [];
  for (const name of existsSync(`${folder}/large.html`) ? Object.keys(SIZES) : []) {
    const ms = await checkPage(browser, "large.html", name);
    opened.push(`${Math.round(ms)} ms (${name})`);
    check(`large.html, ${name}: opens in ${MOST_MS} ms (${ms})`, ms < MOST_MS);
    const elements = await browser.evaluate("document.querySelectorAll('*').length");
    check(`large.html, ${name}: few elements (${elements})`, elements < 500);
    checkConsole(browser, `large.html, ${name}`);
  }
  for (const page of ["plain.html", "odd.html"].filter((own) => existsSync(`${folder}/${own}`))) {
    await checkPage(browser, page, "phone");
    const alarms = await browser.evaluate("window.alarm ?? 0");
    check(`${page}: names are not run`, alarms === 0);
    checkConsole(browser, page);
  }
  if (failures === 0) console.log(`view: small.html is as expected; 8,192 hosts open in ${opened.join(", ")}`);
} finally {
  await browser.end();
}
process.exit(failures === 0 ? 0 : 1);
