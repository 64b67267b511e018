import { type Browser, chromium as playwright, type Locator } from "playwright-core";
import { chromium } from "../../tools/browser/chromium";

const executablePath = chromium();

/** The command that installs a browser reports a failure. In a pipeline a missing browser fails the tests of pages. */
export const hasBrowser = executablePath !== undefined || Boolean(process.env.IS_TESTED_IN_PIPELINE);

export const launchBrowser = () =>
  playwright.launch({ ...(executablePath !== undefined && { executablePath }), args: ["--no-sandbox"], timeout: 0 });

/** A page that waits for as long as its test may take, also on a slow machine. */
export async function newPage(browser: Browser, options?: Parameters<Browser["newPage"]>[0]) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(0);
  return page;
}

/** The players of a row of a review's page. The page makes them a moment after the row is opened. */
export async function playersIn(row: Locator) {
  const players = row.locator("audio");
  await players.first().waitFor();
  return players.all();
}
