// Checks the playground's page with a worker that replies with the results of a run of the command: node
// page.mjs PAGE. test.sh makes the page.
import { pathToFileURL } from "node:url";
import { writeFileSync } from "node:fs";
import { Browser } from "../../crates/cli/tests/view/browser.mjs";

const page = process.argv[2];
let failures = 0;

function check(what, holds) {
  if (holds) return;
  failures += 1;
  console.error(`FAILED: ${what}`);
}

const browser = await Browser.start();
try {
  for (const [name, width, height] of [["desktop", 1280, 800], ["phone", 390, 844]]) {
    await browser.open(pathToFileURL(page).href, width, height, { phone: name === "phone" });
    const examples = await browser.evaluate("document.querySelectorAll('#example option').length");
    check(`${name}: examples can be chosen (${examples})`, examples > 10);
    await browser.evaluate("(() => { const own = document.getElementById('example'); own.value = 'link-flap'; own.onchange(); })()");
    const text = await browser.evaluate("document.getElementById('scenario').value");
    check(`${name}: an example becomes the scenario`, text.includes('name = "link-flap"'));
    await browser.evaluate("document.getElementById('keys').open = true; 1");
    await browser.evaluate("new Promise((done) => setTimeout(done, 500))");
    await browser.evaluate("(() => { const own = document.getElementById('word'); own.value = 'incast fan_in'; own.oninput(); })()");
    const found = await browser.evaluate("document.getElementById('found').textContent");
    check(`${name}: keys are found with their documentation (${found})`, found.includes("[[workload]] kind = \"incast\": fan_in") && found.includes("senders per event"));
    await browser.evaluate("document.getElementById('keys').open = false; document.getElementById('run').click()");
    await browser.evaluate("new Promise((done) => setTimeout(done, 1000))");
    const fabric = await browser.evaluate("document.getElementById('fabric').fabric?.model.nodes ?? 0");
    check(`${name}: the fabric of the run is shown (${fabric} nodes)`, fabric === 36);
    const files = await browser.evaluate("[...document.querySelectorAll('#downloads a')].map((own) => own.download).join()");
    check(`${name}: its files can be saved (${files})`, files === "fct.csv,links.csv,queues.csv");
    const saved = await browser.evaluate("fetch(document.querySelector('#downloads a').href).then((own) => own.text())");
    check(`${name}: a file has its rows`, saved.startsWith("flow,src,dst,class,"));
    // A second run replaces the first one.
    await browser.evaluate("document.getElementById('run').click()");
    await browser.evaluate("new Promise((done) => setTimeout(done, 1000))");
    check(`${name}: one fabric at a time`, (await browser.evaluate("document.querySelectorAll('canvas.fabric').length")) === 1);
    const over = await browser.evaluate("document.documentElement.scrollWidth - window.innerWidth");
    check(`${name}: nothing is wider than the screen (by ${over} pixels)`, over <= 0);
    check(`${name}: no errors (${browser.said.join("; ")})`, browser.said.length === 0);
    writeFileSync(page.replace(".html", `-${name}.png`), await browser.screenshot());
  }
  if (failures === 0) console.log("playground: the page is as expected with results of the command");
} finally {
  await browser.end();
}
process.exit(failures === 0 ? 0 : 1);
